"""Tests, run by pytest in a child: what came of each by its id, told as it ends.

A test passes when its setup, call and teardown did. Repositories' own options (`addopts`) are left out: they ask for
plugins that a room has not.
"""

import random
import signal
import types
from collections.abc import Generator
from typing import Any

import pytest

from evals.tasks.inside.forks import Tell
from evals.tasks.inside.watch import Watch

OPTIONS = (
    "-p", "no:cacheprovider", "-q", "--no-header", "--tb=line", "--continue-on-collection-errors", "-o", "addopts=",
    "-o", "xfail_strict=false", "--rootdir", ".",
)  # fmt: skip
FEW = 40
"""Tests that are collected one by one."""


class TooSlow(BaseException):
    """A test went on for longer than it may."""


class Telling:
    """The plugin that picks tests, orders them, watches each one's time, and tells what came of it."""

    def __init__(
        self, tell: Tell, tests: list[str] | None, order: int | None, limit: float, watch: Watch | None
    ) -> None:
        self._tell, self._limit, self._order, self._watch = tell, limit, order, watch
        self._tests = None if tests is None else set(tests)
        self._outcome, self._took, self._why = "passed", 0.0, ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Say what there is; keep those that are asked for, in an order of ours where one is asked for."""
        self._tell({"collected": [item.nodeid for item in items]})
        if self._tests is not None:
            items[:] = [item for item in items if item.nodeid in self._tests]
        if self._order is not None:
            random.Random(self._order).shuffle(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Say what could not be collected."""
        if report.failed:
            self._tell({"broken": report.nodeid, "why": str(report.longrepr)[-800:]})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """One test: its time begins."""
        self._outcome, self._took, self._why = "passed", 0.0, ""
        self._tell({"began": item.nodeid})
        if self._watch:
            self._watch.begin(item.nodeid)

        def over(_: int, __: types.FrameType | None) -> None:
            self._outcome = "slow"
            raise TooSlow(item.nodeid)

        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, self._limit)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            said: dict[str, Any] = {"test": item.nodeid, "outcome": self._outcome, "took": self._took, "why": self._why}
            if self._watch:
                said |= self._watch.finish()
            self._tell(said)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One of setup, call and teardown ended."""
        self._took += report.duration
        if self._outcome == "slow":
            return
        if report.failed:
            self._outcome, self._why = "failed", str(report.longrepr)[-400:]
        elif report.skipped and self._outcome == "passed":
            self._outcome = "skipped"


def places(tests: list[str]) -> list[str]:
    """What to collect: the tests alone where they are few, else their files, which costs more the larger these are."""
    alone = dict.fromkeys(each.partition("[")[0] for each in tests)
    return list(alone) if len(alone) <= FEW else sorted({each.partition("::")[0] for each in tests})


def run(asked: dict[str, Any], tell: Tell, root: str) -> None:
    """Run the tests that are asked for.

    `asked`: `tests` (ids; None for all; with `collect` none of them, and what there is), `order` (a number to shuffle
    by), `limit` (seconds of each), `first` (stop at the first that fails), `watch` (files whose functions are looked
    for).
    """
    watch = Watch(asked["watch"], root) if asked.get("watch") else None
    telling = Telling(tell, asked.get("tests"), asked.get("order"), asked["limit"], watch)
    tests = asked.get("tests")
    named = [] if tests is None or asked.get("collect") else places(tests)
    if watch:
        watch.start()
    code = pytest.main([*OPTIONS, *(["-x"] if asked.get("first") else []), *named], plugins=[telling])
    if watch:
        tell(watch.stop())
    tell({"code": int(code)})
