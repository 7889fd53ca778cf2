"""Files beside a source tree that may hold a copy of it, or of what it was: by name.

A name is all that is looked at; what a file that belongs to the tree says is for the leak scan of whoever makes a task.
Each rule carries its reason, which is told to whoever asks why a file is missing.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final, NamedTuple


class Rule(NamedTuple):
    """Names that are left out."""

    reason: str
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


NEVER: Final = (
    Rule("history", (".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS", ".history"), (".git", "*.bundle")),
    Rule("compiled code", ("__pycache__",), ("*.pyc", "*.pyo", "*.pyd")),
    Rule(
        "a cache of a tool",
        (
            ".pytest_cache",
            ".mypy_cache",
            ".ruff_cache",
            ".hypothesis",
            ".pyre",
            ".pytype",
            ".cache",
            ".ipynb_checkpoints",
        ),
        (".dmypy.json", ".testmondata*"),
    ),
    Rule("what coverage saw", ("htmlcov",), (".coverage", ".coverage.*", "coverage.xml")),
    Rule("what an installer wrote", ("*.egg-info", "*.dist-info", ".eggs"), ("*.egg-link", "*.pth")),
    Rule("an installed environment", (".tox", ".nox", ".venv", "site-packages", "dist-packages")),
    Rule("a merge's or a patch's leftover", (), ("*.orig", "*.rej")),
    Rule("an editor's copy", (".idea",), ("*~", "*.swp", "*.swo", ".#*", "#*#")),
    Rule("a core dump", (), ("core.[0-9]*", "*.core", "vgcore.*")),
)
"""Whether somebody has put it under version control or not."""
UNTRACKED: Final = (
    Rule("a build", ("build", "dist", "wheelhouse", "pip-wheel-metadata", "_build", "_skbuild"), ("*.whl", "*.egg")),
    Rule("an installed environment", ("venv", "env", "node_modules")),
    Rule("a patch", (), ("*.patch", "*.diff")),
    Rule("somebody's copy", (), ("*.bak", "*.old", "*.save")),
    Rule("a core dump", (), ("core",)),
)
"""Only where nobody has: in version control, these names are as good as any."""
VENDORED: Final = (
    "vendor",
    "vendored",
    "_vendor",
    "_vendored",
    "third_party",
    "thirdparty",
    "extern",
    "externals",
    "_ext",
)
"""Folders of copies of other people's packages; the package under test is taken out of them."""


def reason(path: PurePosixPath, *, is_folder: bool, is_tracked: bool, package: str | None = None) -> str | None:
    """Why `path` (relative to the tree) is left out, if it is. Folders above it are not looked at again."""
    for rule in NEVER if is_tracked else (*NEVER, *UNTRACKED):
        if any(fnmatchcase(path.name, name) for name in (rule.folders if is_folder else rule.files)):
            return rule.reason
    if package and any(part in VENDORED for part in path.parts[:-1]):
        stem = path.name if is_folder else path.name.removesuffix(".py")
        if normal(stem) == normal(package) or normal(stem).startswith(f"{normal(package)}-"):
            return f"a copy of {package}"
    return None


def kept(
    paths: Iterable[PurePosixPath], *, is_tracked: bool, package: str | None = None
) -> Iterator[tuple[PurePosixPath, str | None, PurePosixPath]]:
    """Each of `paths`, which are files, with why it is left out (None: it is not), and the path that the reason is
    about: itself, or a folder above.
    """
    judged: dict[PurePosixPath, tuple[str | None, PurePosixPath]] = {PurePosixPath("."): (None, PurePosixPath("."))}

    def folder(path: PurePosixPath) -> tuple[str | None, PurePosixPath]:
        if path not in judged:
            above = folder(path.parent)
            why = reason(path, is_folder=True, is_tracked=is_tracked, package=package)
            judged[path] = above if above[0] else (why, path)
        return judged[path]

    for path in paths:
        why, about = folder(path.parent)
        if not why:
            why, about = reason(path, is_folder=False, is_tracked=is_tracked, package=package), path
        yield path, why, about


def normal(name: str) -> str:
    """A package's name as it is compared here."""
    return re.sub(r"[-_.]+", "-", name).lower()
