"""Case 42: a full disk cuts the write-ahead log, and each restart fails the same way. Here it starts, and says so."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.log import Position
from ingest.log.pinned import open_pinned
from ingest.sink import Sink
from models.topics import lake_place
from tests.ingest.sink.written import comment, entries, entry, lake, landed

WRITER = """
import os, signal, sys
from pathlib import Path
from ingest.home import Home
from ingest.log.pinned import open_pinned
from ingest.sink import Sink
from tests.ingest.sink.written import entries
home = Home.open(Path(sys.argv[1]))
log = open_pinned(None, home)
topic = sys.argv[3]
for first in range(0, 90, 30):
    log.append([each._replace(topic=topic) for each in entries(range(first, first + 30))])
Sink(log, home).drain()
log.append([each._replace(topic=topic) for each in entries(range(90, 97))])
if sys.argv[2] == "landed":
    Sink(log, home).drain()
os.kill(os.getpid(), signal.SIGKILL)
"""


def truncate_all(home: Home) -> int:
    """What the case does: every *.wal and *-wal loses its last byte."""
    logs = [*home.path.rglob("*.wal"), *home.path.rglob("*-wal")]
    for file in logs:
        os.truncate(file, file.stat().st_size - 1)
    return len(logs)


@pytest.mark.parametrize("topic", ["feedback", "feedback.backfill"])
@pytest.mark.parametrize("state", ["landed", "not landed"])
def test_case_42_a_truncated_wal_starts_again_and_says_what_may_be_lost(
    state: str, topic: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = Home.open(tmp_path / "home")
    subprocess.run([sys.executable, "-c", WRITER, str(home.path), state, topic], check=False)
    before = landed(home)
    assert truncate_all(home) == 1

    with caplog.at_level(logging.WARNING), open_pinned(None, home) as log:
        assert "log.sqlite-wal ends in the middle of a write" in caplog.text
        assert "send it again" in caplog.text
        assert ("are in the lake. The log goes on after them" in caplog.text) == (state == "landed")
        Sink(log, home).drain()
        assert landed(home) == before, "what was accepted and synced before the last write is all there, once"

        again = [each._replace(topic=topic) for each in (*entries(range(90, 97)), entry(200))]
        places = [Position(*lake_place(each.topic, each.partition), each.offset) for each in log.append(again)]
        Sink(log, home).drain()
        assert landed(home) == sorted([*before, *places])
    ids = set(lake(home)["event_id"].drop_nulls())
    assert {comment(number).id for number in (*range(97), 200) if number % 10 != 9} == ids

    caplog.clear()
    with open_pinned(None, home) as log:
        Sink(log, home).drain()
    assert caplog.text == ""
