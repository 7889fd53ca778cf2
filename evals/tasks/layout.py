"""What is what in a tree: packages, their modules, tests, and where imports begin.

Left out: packages without `__init__.py`, and code in other languages.
"""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from models.errors import TerminalError

NO_PACKAGE = {
    "tests",
    "test",
    "testing",
    "docs",
    "doc",
    "examples",
    "example",
    "benchmarks",
    "scripts",
    "tools",
    "build",
    "dist",
}
NO_MODULE = {"setup.py", "conftest.py", "noxfile.py", "tasks.py", "conf.py", "versioneer.py", "fabfile.py"}
LEFT_OUT = {
    ".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".tox", ".nox",
    ".venv", "venv", "node_modules", "build", "dist", ".eggs", "htmlcov",
}  # fmt: skip
LEFT_OUT_ENDS = (".pyc", ".pyo", ".orig", ".rej", ".egg-info", ".swp", ".coverage", ".bundle", ".so", "~")


class Layout(NamedTuple):
    """A tree of a Python package."""

    package: str
    """Its distribution's name, or that of its only package."""
    version: str
    roots: tuple[str, ...]
    """Folders that imports begin in, "." first."""
    sources: dict[str, str]
    """Path -> module."""
    tests: frozenset[str]
    """Test files, and all that lies beside them: helpers, conftest.py and what they read."""
    texts: dict[str, str]
    """Path -> text, of every file that is text."""
    raw: dict[str, bytes]
    """Path -> content, of every file."""


def read_layout(tree: Path, package: str | None = None) -> Layout:
    """Look at `tree`; `package` picks one of several by the name that it is imported by.

    Raises TerminalError for a tree without packages, or without tests.
    """
    raw = read_files(tree)
    texts = {path: text for path, content in raw.items() if (text := _text(content)) is not None}
    inner = [path.removeprefix("src/") for path in raw if path.startswith("src/")]
    root = "src" if any(path.count("/") == 1 and path.endswith("/__init__.py") for path in inner) else "."
    roots = (".",) if root == "." else (".", "src")
    sources = dict(_sources(raw, "" if root == "." else "src/", package))
    if not sources:
        asked = f"no package {package!r}" if package else "no package or module of Python"
        raise TerminalError(f"{tree.name} has {asked} at its top or in src/: nothing to make tasks of")
    tests = _tests(raw, set(sources))
    sources = {path: module for path, module in sources.items() if path not in tests}
    if not any(path.endswith(".py") and _is_test(path) for path in tests):
        raise TerminalError(f"{tree.name} has no tests (test_*.py or *_test.py): tasks are made by making tests fail")
    name, version = _named(texts)
    return Layout(
        package or name or next(iter(sources.values())).split(".")[0], version, roots, sources, tests, texts, raw
    )


def read_files(tree: Path) -> dict[str, bytes]:
    """Path -> content of the files of `tree`, without caches, build outputs and links."""
    paths = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
    inside = {path.relative_to(tree): path for path in paths}
    return {name.as_posix(): path.read_bytes() for name, path in inside.items() if not _left_out(name)}


def _left_out(inside: Path) -> bool:
    return any(part in LEFT_OUT or part.endswith(LEFT_OUT_ENDS) for part in inside.parts)


def _text(content: bytes) -> str | None:
    if len(content) > 2**20 or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _sources(raw: dict[str, bytes], prefix: str, package: str | None) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in raw:
        inner = path.removeprefix(prefix)
        if not path.startswith(prefix) or not path.endswith(".py"):
            continue
        parts = inner.removesuffix(".py").split("/")
        if not all(part.isidentifier() for part in parts):
            continue
        if len(parts) == 1:
            fits = inner not in NO_MODULE and not _is_test(inner)
        else:
            fits = parts[0] not in NO_PACKAGE and f"{prefix}{parts[0]}/__init__.py" in raw
        if fits and package in (None, parts[0]):
            found.append((path, ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)))
    return found


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "tests.py")


def _tests(raw: dict[str, bytes], sources: set[str]) -> frozenset[str]:
    """Test files, all below folders named tests, and conftest.py wherever it is."""
    found: set[str] = set()
    for path in raw:
        *folders, name = path.split("/")
        below = any(folder in ("tests", "test", "testing") for folder in folders)
        if _is_test(path) or name == "conftest.py" or (below and not (path in sources and "testing" in folders)):
            found.add(path)
    return frozenset(found)


def _named(texts: dict[str, str]) -> tuple[str, str]:
    """(name, version) by PKG-INFO, pyproject.toml, or `__version__`; "0" where none says."""
    info = texts.get("PKG-INFO", "")
    name, version = (re.search(rf"^{key}: (\S+)$", info, re.MULTILINE) for key in ("Name", "Version"))
    if name and version:
        return name[1], version[1]
    try:
        project: dict[str, object] = tomllib.loads(texts.get("pyproject.toml", "")).get("project", {})
    except tomllib.TOMLDecodeError:
        project = {}
    found = (re.search(r"""^__version__ = ["']([^"']+)""", text, re.MULTILINE) for text in texts.values())
    said = next((match[1] for match in found if match), "0")
    return str(project.get("name", "")), str(project.get("version", said))
