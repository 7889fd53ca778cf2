"""Forks a child for each trial, with pytest and what the repository imports beside itself already loaded.

    {"roots": ["."], "load": [...]}                                      the first line: settings
    {"do": "tests", "files": {path: text or null}, "seconds": 60, ...}   then trials, one at a time
    {"do": "calls", "files": {...}, "calls": [...], "seconds": 2.0}

Each is answered by lines, the last of which has `ended`. Files are changed for one trial and are then as they were, as
is all else in the tree. Compiled code is kept outside of the tree; a changed file gets a time of its own, since one of
the same size and second would be taken for the old one.
"""

import gc
import importlib
import json
import os
import shutil
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evals.tasks.inside.caller import answer
from evals.tasks.inside.forks import Tell, adopt, listen
from evals.tasks.inside.suite import run

GRACE = 3.0
"""Seconds beyond a test's limit after which one that does not listen is ended."""
LOADED = {"numpy", "hypothesis"}


def main() -> None:
    """Serve until standard input ends."""
    adopt()
    commands, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    settings = json.loads(commands.readline())
    root = str(Path.cwd())
    sys.path[:0] = [os.path.realpath(each) for each in settings["roots"]]
    sys.pycache_prefix, sys.dont_write_bytecode = "/tmp/compiled", False
    for name in settings["load"]:
        with suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    pristine = _state(root)
    for number, line in enumerate(commands):
        asked = json.loads(line)
        last: dict[str, Any] = {"ended": "crashed"}
        with changed(asked["files"], 1_000_000_000 + number):
            for said in _trial(asked, root):
                if "ended" in said:
                    last = said
                else:
                    answers.write(json.dumps(said).encode() + b"\n")
                    answers.flush()  # a test may take the room with it: then it is known which
        _restore(root, pristine)
        answers.write(json.dumps(last).encode() + b"\n")
        answers.flush()


def _trial(asked: dict[str, Any], root: str) -> Iterator[dict[str, Any]]:
    until = time.monotonic() + asked["seconds"]
    if asked["do"] == "calls":
        new = bool(asked.get("new_clocks"))
        yield from listen(
            lambda tell: answer(asked["calls"], asked["limit"], tell, new_clocks=new), lambda: until - time.monotonic()
        )
        return
    quiet = [until]

    def left() -> float:
        return min(until, quiet[0]) - time.monotonic()

    for said in listen(lambda tell: _suite(asked, tell, root), left):
        quiet[0] = time.monotonic() + asked["limit"] + GRACE if "began" in said else until
        yield said


def _suite(asked: dict[str, Any], tell: Tell, root: str) -> None:
    before = set(sys.modules)
    run(asked, tell, root)
    library = os.path.dirname(os.__file__)  # noqa: PTH120
    new = [name for name in set(sys.modules) - before if _of(name).startswith(library)]
    tell({"loaded": sorted(name for name in new if "site-packages" not in _of(name))})


def _of(name: str) -> str:
    return getattr(sys.modules.get(name), "__file__", None) or ""


@contextmanager
def changed(files: dict[str, str | None], moment: int) -> Generator[None]:
    """The tree with other text in `files` (None: without that file); then as it was."""
    kept: dict[str, tuple[bytes, os.stat_result] | None] = {}
    try:
        for name, text in files.items():
            path = Path(name)
            kept[name] = (path.read_bytes(), path.stat()) if path.exists() else None
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
                os.utime(path, (moment, moment))
        yield
    finally:
        for name, was in kept.items():
            path = Path(name)
            if was is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(was[0])
                os.utime(path, ns=(was[1].st_atime_ns, was[1].st_mtime_ns))


def _state(root: str) -> dict[str, tuple[int, int, bytes]]:
    """Path -> time, size and content of each file."""
    return {path: (stat.st_mtime_ns, stat.st_size, Path(path).read_bytes()) for path, stat in _files(root)}


def _files(root: str) -> Iterator[tuple[str, os.stat_result]]:
    for folder, _, names in os.walk(root):
        for name in names:
            path = f"{folder}/{name}"
            if not os.path.islink(path):  # noqa: PTH114
                yield path, os.stat(path)  # noqa: PTH116


def _restore(root: str, pristine: dict[str, tuple[int, int, bytes]]) -> None:
    """Undo what tests did to the tree."""
    now = {path: (stat.st_mtime_ns, stat.st_size) for path, stat in _files(root)}
    for path in now.keys() - pristine.keys():
        Path(path).unlink(missing_ok=True)
    for path, (moment, size, content) in pristine.items():
        if now.get(path) != (moment, size):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(content)
            os.utime(path, ns=(moment, moment))
    temporary = Path(os.environ.get("TMPDIR", "/tmp"))
    for each in temporary.iterdir():
        if each.name != "compiled":
            shutil.rmtree(each, ignore_errors=True) if each.is_dir() and not each.is_symlink() else each.unlink()
