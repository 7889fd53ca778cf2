"""One home, one log: what a home is used with first is its log for ever."""

from pathlib import Path
from uuid import uuid4

import pytest

from ingest.home import Home
from ingest.log import Entry
from ingest.log.pinned import open_pinned, pinned
from models.errors import TerminalError


def replaced(home: Home) -> None:
    """The embedded log is gone, and the next to open it makes another."""
    for file in home.log.iterdir():
        file.unlink()


def test_the_first_log_is_the_homes_and_another_is_refused(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    with open_pinned(None, home) as log:
        first = log.identity()
        assert pinned(log, home) == first
    with open_pinned("embedded", home) as log:
        assert log.identity() == first
    replaced(home)
    for pin in (True, False):
        with pytest.raises(TerminalError, match=f"is of the log {first}, and this log is .*give --log .* --home"):
            open_pinned(None, home, pin=pin)


def test_a_look_pins_nothing(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    open_pinned(None, home, pin=False).close()
    replaced(home)
    open_pinned(None, home).close()


@pytest.mark.kafka
def test_another_prefix_of_the_same_cluster_is_another_log(tmp_path: Path, kafka_bootstrap: str) -> None:
    home = Home.open(tmp_path)
    one, two = (f"kafka://{kafka_bootstrap}/test-{uuid4().hex}" for _ in range(2))
    with open_pinned(one, home) as log:
        log.append([Entry("feedback", "a", b"{}")])
    with pytest.raises(TerminalError, match="is of the log"):
        open_pinned(two, home)
    open_pinned(one, home).close()
