"""Who lands this home now: a small file for each sink that runs, touched as long as it does.

For others to see that a sink is there and how it fares, and for sinks on the embedded log to divide their work. A file
that nobody touched for a while is of a sink that is gone, or asleep; it is swept later. Clocks: that of this machine.
"""

import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ingest.durable import replace
from ingest.home import Home
from models.errors import TransientError

LEASE_S = 10.0
"""Seconds without a sign of life after which a sink counts as gone."""
BEAT_S = 1.0
FORGOTTEN_S = 86_400.0

SUFFIX = ".json"


class Running(NamedTuple):
    """A sink that runs."""

    name: str
    host: str
    pid: int
    shares: bool
    """Whether it lands a share of the partitions only."""
    trouble: str
    """What keeps it from landing; "" where nothing does."""


def folder(home: Home) -> Path:
    """Where the files are."""
    return home.path / "sinks"


def running(home: Home, lease_s: float = LEASE_S) -> list[Running]:
    """The sinks that gave a sign of life within `lease_s` seconds, by name."""
    now = time.time()
    found: list[Running] = []
    for file in sorted(folder(home).glob(f"*{SUFFIX}")):
        try:
            if now - file.stat().st_mtime <= lease_s:
                said = json.loads(file.read_text())
                found.append(Running(file.stem, said["host"], said["pid"], bool(said["shares"]), str(said["trouble"])))
            elif now - file.stat().st_mtime > FORGOTTEN_S:
                file.unlink()
        except FileNotFoundError:
            continue  # it has just left
    return found


class Presence:
    """The file of one sink, as long as the block lasts."""

    def __init__(self, home: Home, *, shares: bool = False) -> None:
        self.name = uuid4().hex[:12]
        self._file = folder(home) / f"{self.name}{SUFFIX}"
        self._said = {"host": socket.gethostname(), "pid": os.getpid(), "shares": shares, "trouble": ""}
        self._beaten_at = 0.0

    def __enter__(self) -> "Presence":
        self._write()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.unlink(missing_ok=True)

    def beat(self, trouble: str = "") -> None:
        """A sign of life, and what is wrong if something is. Cheap: it writes when a second has passed, or on news."""
        if trouble != self._said["trouble"]:
            self._said["trouble"] = trouble
            self._write()
        elif time.monotonic() - self._beaten_at >= BEAT_S:
            try:
                os.utime(self._file)
            except FileNotFoundError:  # swept while it slept
                self._write()
            self._beaten_at = time.monotonic()

    def _write(self) -> None:
        with suppress(TransientError):  # a full disk is what it may have to tell of; the sink says so itself
            replace(self._file, json.dumps(self._said).encode())
        self._beaten_at = time.monotonic()
