"""Which functions of the package a test calls, which function calls which, and with what.

Looks at calls alone, not at lines: a few times faster than tracing lines, and a cut takes a whole body anyway. Left
out: work in other processes.
"""

import sys
import threading
import types
from typing import Any, NamedTuple

from evals.tasks.inside.arguments import arguments

CO_OPTIMIZED = 0x1
"""Set in the code of functions, not in that of modules and class bodies."""
CALLS = 24
"""Of a function, so many different calls are kept."""
LOOKED_AT = 160
"""Of a function, so many calls are looked at."""
STEPS = 10
"""Calls of an object's methods that go before one that is kept."""


class Built(NamedTuple):
    """An object that was made."""

    kind: type
    by: tuple[list[Any], dict[str, Any]]
    """Arguments of its class."""
    steps: list[list[Any]]
    """Methods that were called from outside the package since: name, args, kwargs."""


class Watch:
    """Looks on from `start` to `stop`; `begin` and `finish` enclose a test."""

    def __init__(self, files: list[str], root: str) -> None:
        self._files = {f"{root}/{file}": file for file in files}
        self._touched: set[tuple[str, str]] = set()
        self._at_import: set[tuple[str, str]] = set()
        self._edges = set[tuple[str, str, str, str]]()
        self._looked: dict[tuple[str, str], int] = {}
        self._calls: dict[tuple[str, str], dict[str, Any]] = {}
        self._built: dict[int, Built] = {}
        self._test, self._inside = "", False

    def start(self) -> None:
        """From here on."""
        threading.settrace(self._see)
        sys.settrace(self._see)

    def begin(self, test: str) -> None:
        """A test begins."""
        if not self._test:
            self._at_import |= self._touched
        self._test, self._touched = test, set()
        self._built.clear()
        if sys.gettrace() != self._see:  # a test that traces has taken our place
            sys.settrace(self._see)

    def finish(self) -> dict[str, Any]:
        """A test is over: what it touched."""
        return {"touched": sorted(self._touched)}

    def stop(self) -> dict[str, Any]:
        """Look no longer; what was seen beside tests."""
        sys.settrace(None)
        calls = [[*key, call] for key, found in self._calls.items() for call in found.values()]
        return {"at_import": sorted(self._at_import), "edges": sorted(self._edges), "calls": calls}

    def _see(self, frame: types.FrameType, event: str, _: object) -> None:
        code = frame.f_code
        file = self._files.get(code.co_filename)
        if file is None or self._inside or event != "call" or not code.co_flags & CO_OPTIMIZED:
            return
        key = (file, code.co_qualname.partition(".<locals>")[0])
        self._touched.add(key)
        above = frame.f_back
        calling = self._files.get(above.f_code.co_filename) if above else None
        if above and calling and above.f_code.co_flags & CO_OPTIMIZED:
            self._edges.add((calling, above.f_code.co_qualname.partition(".<locals>")[0], *key))
        if self._test and "<" not in code.co_qualname:
            self._inside = True
            try:
                self._look(frame, key, from_outside=calling is None)
            finally:
                self._inside = False

    def _look(self, frame: types.FrameType, key: tuple[str, str], *, from_outside: bool) -> None:
        """Keep the call's arguments, if they are new and can be told."""
        code = frame.f_code
        looked = self._looked[key] = self._looked.get(key, 0) + 1
        if code.co_name == "__init__":
            if looked <= LOOKED_AT * 4:
                self._remember(frame)
            return
        if code.co_code[frame.f_lasti + 1] != 0:  # a generator goes on
            return
        found = arguments(frame) if looked <= LOOKED_AT else None
        first = found[1] if found else frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        made = self._built.get(id(first))
        if made and (found is None or made.kind is not type(first) or len(made.steps) >= STEPS):
            del self._built[
                id(first)
            ]  # what became of it can't be told, or it is another one with the id of one that is gone
            return
        if found is None:
            return
        owner, first, call = found
        kept = self._calls.setdefault(key, {})
        if first is not None and not made:
            return
        if len(kept) < CALLS:
            new = {**call, "module": frame.f_globals.get("__name__", ""), "qualname": owner}
            if made:
                new |= {"build": made.by, "before": list(made.steps)}
            kept.setdefault(repr(new), new)
        if made and from_outside:
            made.steps.append([code.co_name, call["args"], call["kwargs"]])

    def _remember(self, frame: types.FrameType) -> None:
        """An object is made: with what."""
        found = arguments(frame)
        if found is None or found[1] is None:
            return
        _, made, call = found
        kind: Any = made.__class__
        if getattr(kind.__init__, "__code__", None) is not frame.f_code:
            return
        self._built[id(made)] = Built(kind, (call["args"], call["kwargs"]), [])
        key = (self._files[frame.f_code.co_filename], kind.__qualname__)
        kept = self._calls.setdefault(key, {})
        if len(kept) < CALLS and kind.__module__ == frame.f_globals.get("__name__"):
            new = {**call, "module": kind.__module__, "qualname": kind.__qualname__, "build": None}
            kept.setdefault(repr(new), new)
