"""What `status` and `doctor` say of landing: how far behind, who works on it, and what keeps it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from flywheel import health
from flywheel.cli import cli
from ingest.home import Home
from ingest.log import EventLog
from ingest.log.pinned import open_pinned
from ingest.sink import Sink
from ingest.sink.presence import Presence
from tests.ingest.sink.written import entries


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_pinned(None, home) as opened:
        yield opened


def run(home: Home, *arguments: str) -> str:
    return CliRunner().invoke(cli, [*arguments, "--home", str(home.path)]).stdout


def test_lag_without_a_sink_is_said_with_what_brings_it(home: Home, log: EventLog) -> None:
    log.append(entries(range(20)))

    assert "behind the log: feedback by 20; oldest waits" in run(home, "status")
    assert "sinks     none runs" in run(home, "status")
    assert "FIX  the lake is behind the log {'feedback': 20}, and no sink runs\n       flywheel sink --once" in run(
        home, "doctor"
    )

    Sink(log, home).drain()
    assert json.loads(run(home, "status", "--json"))["waits_s"] == 0
    assert "ok   the lake holds the whole log" in run(home, "doctor")


def test_a_sink_that_runs_and_does_not_land_is_stuck(
    home: Home, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(entries(range(20)))
    with Presence(home, shares=True) as sink:
        assert "sinks     1 run, 1 of them share the partitions" in run(home, "status")
        assert "ok   the lake holds the whole log, or a sink brings it" in run(home, "doctor")

        monkeypatch.setattr(health, "PATIENCE_S", 0.0)
        assert "STUCK: a record has waited" in run(home, "status")

        sink.beat("the disk is full")
        assert "the disk is full" in json.loads(run(home, "status", "--json"))["stuck"]
        assert "FIX  the lake falls behind: sink" in run(home, "doctor")


def test_an_embedding_that_the_home_did_not_begin_with_is_found(home: Home) -> None:
    assert "ok   the home's embedding: not chosen yet" in run(home, "doctor")
    home.pin("embedding", "ours-static-0123-float32")
    assert "FIX  the home's embedding is ours-static-0123, and FLYWHEEL_EMBEDDING_MODEL chooses gt-" in run(
        home, "doctor"
    )
