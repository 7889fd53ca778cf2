"""The tree that is graded: the task's own, with only the source files of the package taken from the agent.

Tests, configuration, plugins, bytecode and links are the task's; what the agent changed of them is told, as evidence.
Left out: compiled extensions.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from evals.tasks.folder import Parts, contents, lay
from evals.tasks.layout import LEFT_OUT
from models.errors import TerminalError

CONFIG = {
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg",
    "tox.ini", "setup.py",
    ".coveragerc",
}  # fmt: skip
HOOKS = {"sitecustomize.py", "usercustomize.py", "entry_points.txt"}
COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".pth")
MOST = 20_000
"""Files of a tree that are looked at, after those of the package."""
SKIPPED = LEFT_OUT - {"build", "dist", "__pycache__"}
MOST_BYTES = 16 * 2**20
"""Of one file."""

Role = Literal["source", "test", "config", "hook", "compiled", "link", "other"]


class Change(NamedTuple):
    """A file that is not as the task gave it."""

    path: str
    role: Role
    before: bytes | None
    """None: it was not there."""
    after: bytes | None
    """None: it is gone. For a link: where it points to."""


class Candidate(NamedTuple):
    """What is graded, and how it differs from what was given."""

    tree: Path
    changes: tuple[Change, ...]


def roots(parts: Parts) -> tuple[str, ...]:
    """Folders (with a / at the end) and files that the package consists of."""
    found: set[str] = set()
    for unit in parts.task.units:
        depth = unit.module.count(".") + (1 if unit.path.endswith("/__init__.py") else 0)
        folder = unit.path.split("/")
        found.add("/".join(folder[:-depth]) + "/" if depth else unit.path)
    return tuple(sorted(found))


def role(path: str, package: tuple[str, ...], tests: set[str]) -> Role:
    """What a path of a tree is to the grader."""
    *folders, name = path.split("/")
    if name in HOOKS:
        return "hook"
    if name in CONFIG:
        return "config"
    if name.endswith(COMPILED):
        return "compiled"
    is_test = name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
    if path in tests or is_test or any(folder in ("tests", "test") for folder in folders):
        return "test"
    return (
        "source" if any(path == root or (root.endswith("/") and path.startswith(root)) for root in package) else "other"
    )


def compose(parts: Parts, theirs: Path, into: Path) -> Candidate:
    """Lay the task's tree into `into`, with the package as it is in `theirs`. Raises TerminalError where that is no
    folder.

    Nothing that an agent can leave stops this: what can't be read, or can't be where it is, counts as not there.
    """
    pristine, tests = contents(parts.tree), contents(parts.tests)
    pristine |= tests
    lay(pristine, into)
    package = roots(parts)
    found = look_at(theirs, package)
    changes: list[Change] = []
    for path in sorted({*pristine, *found}):
        kind = role(path, package, set(tests))
        before, after = pristine.get(path), found.get(path)
        if isinstance(after, str):
            changes.append(Change(path, "link", before, after.encode(errors="replace")))
        elif after != before:
            changes.append(Change(path, kind, before, after))
        if kind == "source" and after != before:
            _put(into / path, after if isinstance(after, bytes) else None)
    return Candidate(into, tuple(changes))


def look_at(tree: Path, package: Sequence[str] = ()) -> dict[str, bytes | str]:
    """Path -> content, or where a link points to, of up to MOST files, those of the package first. Nothing is followed,
    and only plain files are opened.

    Raises TerminalError for a tree that is no folder.
    """
    if not tree.is_dir():
        raise TerminalError(f"{tree} is no folder: give the tree that the agent left")
    found: dict[str, bytes | str] = {}
    for start in (*package, ""):
        for path in islice(_paths(tree, start), MOST):
            if path not in found and (content := _content(tree / path)) is not None:
                found[path] = content
    return found


def _paths(tree: Path, start: str) -> Iterator[str]:
    if start and not start.endswith("/"):
        yield start
        return
    for folder, folders, names in os.walk(tree / start):
        inside = Path(folder).relative_to(tree)
        links = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted([*names, *links]):
            yield (inside / name).as_posix()


def _content(place: Path) -> bytes | str | None:
    try:
        state = place.lstat()
        if stat.S_ISLNK(state.st_mode):
            return str(place.readlink())
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            return None
        with os.fdopen(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(MOST_BYTES)
    except OSError:
        return None


def _put(place: Path, content: bytes | None) -> None:
    try:
        if content is None:
            place.unlink(missing_ok=True)
            return
        if place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except OSError:  # a file where a folder would have to be: then it isn't there, as it wouldn't be for an import
        return
