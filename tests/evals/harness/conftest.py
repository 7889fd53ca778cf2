"""A few tasks made from a small package, for what is done with tasks afterwards."""

from pathlib import Path

import pytest

from evals.tasks.generate.run import generate
from tests.once import made_once

SOURCE = '''"""Small things done with sequences."""


def chunks(items, size):
    """Split `items` into lists of `size`; the last may be shorter. Raises ValueError if `size` is less than 1."""
    if size < 1:
        raise ValueError("size must be at least 1")
    found, now = [], []
    for item in items:
        now.append(item)
        if len(now) == size:
            found.append(now)
            now = []
    if now:
        found.append(now)
    return found


def runs(items):
    """Pairs (item, length) of equal items that stand side by side."""
    found = []
    for item in items:
        if found and found[-1][0] == item:
            found[-1] = (item, found[-1][1] + 1)
        else:
            found.append((item, 1))
    return found
'''

TESTS = """import pytest

from pieces.core import chunks, runs


def test_chunks():
    assert chunks([1, 2, 3], 2) == [[1, 2], [3]]
    assert chunks([], 3) == []
    assert chunks("abcd", 2) == [["a", "b"], ["c", "d"]]


def test_chunks_of_nothing():
    with pytest.raises(ValueError):
        chunks([1], 0)


def test_runs():
    assert runs("aab") == [("a", 2), ("b", 1)]
    assert runs([]) == []
    assert runs([1, 1, 1]) == [(1, 3)]
"""


def small_package(folder: Path) -> Path:
    """A repository with one package, two functions and their tests."""
    for path, text in {
        "pyproject.toml": '[project]\nname = "pieces"\nversion = "1.2"\n',
        "pieces/__init__.py": "",
        "pieces/core.py": SOURCE,
        "tests/test_core.py": TESTS,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="session")
def made(rooms: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tasks that were made from the small package. Read it, never write to it."""

    def make(folder: Path) -> None:
        report = generate(small_package(folder / "repo"), folder / "tasks", want=2, kinds=("function",))
        assert len(report.tasks) == 2, report

    return made_once(tmp_path_factory, "tasks", make) / "tasks"
