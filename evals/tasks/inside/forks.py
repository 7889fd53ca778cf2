"""A child for each piece of work: forked, listened to until its time is over, and ended with all that it has started.

Left out: what the child does (`evals.tasks.inside.suite`, `evals.tasks.inside.caller`).
"""

import ctypes
import json
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
ROUNDS = 1000
"""Of killing what the ones killed before left behind."""
MOST = 64 * 2**20
"""Bytes that a child may tell; then it is ended."""

Tell = Callable[[dict[str, Any]], None]


def adopt() -> None:
    """Orphans of our children become our children, so that `end` finds them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def listen(work: Callable[[Tell], None], quiet: Callable[[], float]) -> Iterator[dict[str, Any]]:
    """Run `work` in a child; what it tells, as it comes.

    The last is `{"ended": ...}`: `done`, `timed out` (nothing came within `quiet()` seconds, asked anew each time: less
    than 0 ends it at once), `crashed` (it went away), or `too much`.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _in_child(work, writer)
    os.close(writer)
    ended, held, told = "crashed", b"", 0
    try:
        while True:
            left = quiet()
            ready = select.select([reader], [], [], max(0.0, left))[0] if left >= 0 else []
            if not ready:
                ended = "timed out"
                break
            got = os.read(reader, 1 << 16)
            told += len(got)
            if told > MOST:
                ended = "too much"
                break
            *lines, held = (held + got).split(b"\n")
            for line in lines:
                said = json.loads(line)
                if said.get("ended") == "done":
                    ended = "done"
                else:
                    yield said
            if not got or ended == "done":
                break
    finally:
        os.close(reader)
        end(child)
    yield {"ended": ended}


def _in_child(work: Callable[[Tell], None], writer: int) -> None:
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)

        def tell(said: dict[str, Any]) -> None:
            rest = json.dumps(said).encode() + b"\n"
            while rest:
                rest = rest[os.write(writer, rest) :]

        work(tell)
        tell({"ended": "done"})
    finally:
        os._exit(0)


def end(child: int) -> None:
    """Kill `child` and all that it has left behind, and reap them."""
    _kill(child)
    for _ in range(ROUNDS):
        left = children()
        if not left:
            return
        for each in left:
            _kill(each)  # what that one leaves behind is found in the next round


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError, ChildProcessError):
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def children() -> list[int]:
    """Ids of this process's children, whichever thread has started them."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread is gone
            found += map(int, (task / "children").read_text().split())
    return found
