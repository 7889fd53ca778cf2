"""Trials: the tree with some files changed, some of its tests or calls, and what came of them. All of it in a room.

A room holds a server that forks for each trial (`evals.tasks.inside.server`). A server that dies is started anew in a
room of its own. Left out: what a trial means.
"""

import json
import os
import select
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from evals.cleanroom import Limits, Running
from evals.cleanroom.bubblewrap import open_room
from evals.tasks.bundle import command
from evals.tasks.calls import take
from evals.tasks.task import Call, Outcome

GRACE = 15.0
"""Seconds beyond a trial's own limit after which the server is given up."""
MOST = 256 * 2**20
"""Bytes of an answer."""
DAY = 86_400.0


class Tested(NamedTuple):
    """What came of tests."""

    outcomes: dict[str, str]
    """Test -> passed, failed, skipped or slow; one that was asked for and is not here did not run."""
    took: dict[str, float]
    why: dict[str, str]
    broken: dict[str, str]
    """What could not be collected -> why."""
    collected: list[str]
    ended: str
    began: str | None
    """The test that was at work when it ended, unless it was done."""
    touched: dict[str, list[tuple[str, str]]]
    """Test -> (path, qualname) of what it called."""
    at_import: set[tuple[str, str]]
    edges: set[tuple[str, str, str, str]]
    calls: list[tuple[str, str, dict[str, Any]]]
    loaded: list[str]

    def passed(self) -> set[str]:
        """Tests that did."""
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}


class Trials:
    """A server in a room, asked for one trial at a time; others wait."""

    def __init__(self, source: Path, tools: Path | None, roots: Sequence[str], seed: int, limits: Limits) -> None:
        self._source, self._tools, self._roots, self._seed = source, tools, roots, seed
        self._limits = limits.model_copy(update={"seconds": DAY, "output_mb": MOST >> 10})  # of all trials together
        self._opened: ExitStack | None = None
        self._server: Running | None = None
        self._lock = threading.Lock()
        self.load: list[str] = ["pytest", "unittest.mock", "doctest", "pdb"]
        """Modules of the standard library that are loaded once, for a server that is started after they were set."""

    def tests(
        self, files: Mapping[str, str | None], tests: Sequence[str] | None, *, seconds: float = 60.0,
        limit: float = 5.0, order: int | None = None, first: bool = False, watch: Sequence[str] | None = None,
    ) -> Tested:  # fmt: skip
        """Run `tests` (None: all) with `files` changed; each may take `limit` seconds, all together `seconds`.

        `order` shuffles them; `first` stops at the first that fails; `watch` says in which files calls are looked for.
        """
        if tests is not None and not tests:
            return tested([])
        return tested(
            self._ask(
                {
                    "do": "tests", "files": files, "tests": tests, "seconds": seconds, "limit": limit, "order": order,
                    "first": first, "watch": watch,
                }
            )
        )  # fmt: skip

    def collect(self, seconds: float) -> Tested:
        """Which tests there are; runs none."""
        nothing: dict[str, str | None] = {}
        asked = {
            "do": "tests",
            "files": nothing,
            "tests": list[str](),
            "collect": True,
            "seconds": seconds,
            "limit": seconds,
        }
        return tested(self._ask(asked))

    def calls(
        self, files: Mapping[str, str | None], calls: Sequence[Call], *, limit: float = 1.0
    ) -> list[Outcome | None]:
        """What `calls` give with `files` changed; None as in `evals.tasks.calls.outcomes`."""
        found: list[Outcome | None] = [None] * len(calls)
        if calls:
            told = [call.model_dump() for call in calls]
            seconds = 10 + limit * len(calls)
            for said in self._ask({"do": "calls", "files": files, "calls": told, "seconds": seconds, "limit": limit}):
                take(said, found)
        return found

    def close(self) -> None:
        """End the server, and its room."""
        if self._server:
            self._server.kill()
        if self._opened:
            self._opened.close()
        self._server = self._opened = None

    def _ask(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        with self._lock:
            if self._server is None:
                self._open()
            assert self._server
            try:
                self._server.stdin.write(json.dumps(asked).encode() + b"\n")
                self._server.stdin.flush()
                said = list(self._answers(time.monotonic() + asked["seconds"] + GRACE))
            except (OSError, ValueError):
                said = []
            if not said or "ended" not in said[-1]:
                self.close()
                said.append({"ended": "crashed"})
            return said

    def _answers(self, until: float) -> Iterator[dict[str, Any]]:
        assert self._server
        stream, held, total = self._server.stdout.fileno(), b"", 0
        while (left := until - time.monotonic()) > 0 and total < MOST:
            if not select.select([stream], [], [], left)[0]:
                return
            got = os.read(stream, 1 << 16)
            if not got:
                return
            total += len(got)
            *lines, held = (held + got).split(b"\n")
            for line in lines:
                said = json.loads(line)
                yield said
                if "ended" in said:
                    return

    def _open(self) -> None:
        self._opened = ExitStack()
        room = self._opened.enter_context(open_room(self._source, limits=self._limits, tools=self._tools))
        self._server = room.start(command("server"), env={"PYTHONHASHSEED": str(self._seed)})
        settings = {"roots": list(self._roots), "load": self.load}
        self._server.stdin.write(json.dumps(settings).encode() + b"\n")


def tested(said: list[dict[str, Any]]) -> Tested:
    """What a server's answer means."""
    found = Tested({}, {}, {}, {}, [], said[-1]["ended"] if said else "done", None, {}, set(), set(), [], [])
    began: str | None = None
    for line in said:
        if "test" in line:
            test = line["test"]
            found.outcomes[test], found.took[test], found.why[test] = line["outcome"], line["took"], line["why"]
            found.touched[test] = [(path, name) for path, name in line.get("touched", [])]
            began = None
        elif "began" in line:
            began = line["began"]
        elif "broken" in line:
            found.broken[line["broken"]] = line["why"]
        elif "collected" in line:
            found.collected.extend(line["collected"])
        elif "edges" in line:
            found.at_import.update((path, name) for path, name in line["at_import"])
            found.edges.update((a, b, c, d) for a, b, c, d in line["edges"])
            found.calls.extend((path, name, call) for path, name, call in line["calls"])
        elif "loaded" in line:
            found.loaded.extend(line["loaded"])
    return found._replace(began=began)
