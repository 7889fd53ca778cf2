"""A home with its embedded log, and sinks as processes of their own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.log import EventLog, open_log

FORKER = Path(__file__).with_name("forker.py")
Start = Callable[..., int]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as opened:
        yield opened


@pytest.fixture(scope="module")
def forker() -> Iterator[subprocess.Popen[str]]:
    """See `forker.py`."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, "-W", "error", str(FORKER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as forker:
        yield forker
        assert forker.stdin
        forker.stdin.close()


@pytest.fixture
def start(forker: "subprocess.Popen[str]", home: Home) -> Iterator[Start]:
    """`start(rows=50, seconds=0.05)` is the pid of a sink that runs on `home`, until the test ends.

    `log` is its log's address if it is not the home's own; with `lease_s` it shares with the others.
    """
    pids: list[int] = []

    def begin(log: str | None = None, lease_s: float | None = None, **policy: float) -> int:
        assert forker.stdin and forker.stdout
        order = {"home": str(home.path), "log": log, "lease_s": lease_s, "policy": policy}
        forker.stdin.write(json.dumps(order) + "\n")
        forker.stdin.flush()
        pids.append(int(forker.stdout.readline()))
        return pids[-1]

    yield begin
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
