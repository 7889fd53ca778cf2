"""The tree that is graded: the task's own, with only the source files of the package taken from the agent.

Tests, configuration, plugins, bytecode and links are the task's; what the agent changed of them is told, as evidence.
Left out: compiled extensions.
"""

import os
import shutil
import stat
from pathlib import Path
from typing import Literal, NamedTuple

from evals.tasks.folder import Parts, contents, lay
from evals.tasks.layout import LEFT_OUT
from models.errors import TerminalError

CONFIG = {
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini", "setup.py",
    ".coveragerc",
}  # fmt: skip
HOOKS = {"sitecustomize.py", "usercustomize.py", "entry_points.txt"}
COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".pth")
MOST = 20_000
"""Files of a tree; a tree with more was not meant for a person either."""
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
    return "source" if any(path == root or (root.endswith("/") and path.startswith(root)) for root in package) else "other"


def compose(parts: Parts, theirs: Path, into: Path) -> Candidate:
    """Lay the task's tree into `into`, with the package as it is in `theirs`.

    Raises TerminalError for a tree that isn't there, or has more than MOST files.
    """
    if not theirs.is_dir():
        raise TerminalError(f"{theirs} is no folder: give the tree that the agent left")
    pristine, tests = contents(parts.tree), contents(parts.tests)
    pristine |= tests
    lay(pristine, into)
    package = roots(parts)
    found = _walk(theirs)
    changes: list[Change] = []
    for path in sorted({*pristine, *found}):
        kind = role(path, package, set(tests))
        before, after = pristine.get(path), found.get(path)
        if isinstance(after, str):
            changes.append(Change(path, "link", before, after.encode(errors="replace")))
            if kind == "source":
                (into / path).unlink(missing_ok=True)
        elif after != before:
            changes.append(Change(path, kind, before, after))
            if kind == "source":
                _put(into / path, after)
    return Candidate(into, tuple(changes))


def _put(place: Path, content: bytes | None) -> None:
    if content is None:
        place.unlink(missing_ok=True)
        return
    if place.is_dir():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def _walk(tree: Path) -> dict[str, bytes | str]:
    """Path -> content, or where a link points to. Nothing is followed, and only plain files are opened."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(tree):
        inside = Path(folder).relative_to(tree)
        folders[:] = [name for name in folders if name not in LEFT_OUT - {"build", "dist", "__pycache__"}]
        for name in [*names, *(each for each in folders if Path(folder, each).is_symlink())]:
            place, path = Path(folder, name), (inside / name).as_posix()
            if len(found) >= MOST:
                raise TerminalError(f"{tree} has more than {MOST} files: give the tree that the agent left, nothing else")
            state = place.lstat()
            if stat.S_ISLNK(state.st_mode):
                found[path] = str(place.readlink())
            elif stat.S_ISREG(state.st_mode) and state.st_size <= MOST_BYTES:
                descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
                with os.fdopen(descriptor, "rb") as file:
                    found[path] = file.read()
    return found
