"""Task folders are whole and unchanged, or said not to be; archives are the same for the same files."""

import io
import re
import tarfile
from pathlib import Path

import pytest

from evals.tasks.folder import Parts, archive, contents, dumped, lay, rate, read, sha256, write
from evals.tasks.layout import read_layout
from evals.tasks.task import Call, Difficulty, Hidden, HiddenCase, Outcome, Task, Unit, task_id
from models.errors import TerminalError

TEST = b"import m\n\ndef test_f():\n    assert m.f(1) == 2\n"
GOLD = "def f(a):\n    b = a + 1\n    return b\n"


def parts(
    instructions: str = "Write `f`.", hidden: Hidden | None = None, tree: dict[str, bytes] | None = None
) -> Parts:
    kept = hidden or Hidden(cases=())
    tests = archive({"test_m.py": TEST})
    given, gold = (
        archive(tree or {"m.py": b"def f(a):\n    raise NotImplementedError\n"}),
        archive({"m.py": GOLD.encode()}),
    )
    units = (Unit(path="m.py", qualname="f", module="m", lines=2),)
    digests = tuple(map(sha256, (given, tests, gold, dumped(kept).encode())))
    task = Task(
        task_id=task_id("m", "1", units, digests), package="m", version="1", kind="function", units=units,
        instructions=instructions, fail_to_pass=("test_m.py::test_f",), pass_to_pass=(), test_files={}, seconds=9,
        difficulty=Difficulty(lines=2, files=1, call_depth=0, estimate=0.1), tree_sha256=digests[0],
        tests_sha256=digests[1], gold_sha256=digests[2], hidden_sha256=digests[3],
    )  # fmt: skip
    return Parts(task, given, tests, gold, "", kept)


def test_a_folder_is_read_as_it_was_written_and_not_written_twice(tmp_path: Path):
    folder = write(tmp_path, parts())
    assert read(folder) == parts()
    before = (folder / "task.json").stat().st_mtime_ns
    assert write(tmp_path, parts()) == folder and (folder / "task.json").stat().st_mtime_ns == before
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize("name", ["tree.tar", "private/tests.tar", "private/gold.tar", "private/hidden.json"])
def test_what_is_missing_or_changed_is_named(tmp_path: Path, name: str):
    folder = write(tmp_path, parts())
    other = parts(hidden=Hidden(cases=(HiddenCase(call=Call(module="m", qualname="f"), expected=Outcome()),)))
    (folder / name).write_bytes(archive({"x": b""}) if name.endswith("tar") else dumped(other.hidden).encode())
    with pytest.raises(TerminalError, match=r"is not what task\.json says"):
        read(folder)
    (folder / name).unlink()
    with pytest.raises(TerminalError, match=f"{re.escape(Path(name).name)} is missing"):
        read(folder)


def test_a_folder_of_another_shape_is_no_task(tmp_path: Path):
    with pytest.raises(TerminalError, match=r"task\.json is missing"):
        read(tmp_path)
    folder = write(tmp_path, parts())
    (folder / "task.json").write_text("{}")
    with pytest.raises(TerminalError, match="is no task"):
        read(folder)


def test_archives_are_the_same_for_the_same_files_and_lead_nowhere(tmp_path: Path):
    files = {"b/x.py": b"#!/bin/sh\n", "a.py": b"a", "ü/漢.txt": b""}
    assert archive(files) == archive(dict(reversed(files.items())))
    assert contents(archive(files)) == files
    lay(files, tmp_path / "tree")
    assert (tmp_path / "tree/b/x.py").stat().st_mode & 0o100 and not (tmp_path / "tree/a.py").stat().st_mode & 0o100
    for path in ("../out", "/out", "a/../../out"):
        with pytest.raises(TerminalError, match="leads out"):
            contents(archive({path: b""}))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert contents(made.getvalue()) == {}


def test_a_measured_pass_rate_is_kept(tmp_path: Path):
    folder = write(tmp_path, parts())
    assert rate(folder, lambda given: 0.5 if given == folder else 0.0) == 0.5
    assert read(folder).task.difficulty.pass_rate == 0.5


def tree(tmp_path: Path, *paths: str) -> Path:
    lay(dict.fromkeys(paths, b""), tmp_path)
    return tmp_path


def test_packages_modules_and_tests_are_told_apart(tmp_path: Path):
    flat = read_layout(
        tree(tmp_path / "flat", "p/__init__.py", "p/a.py", "p/tests/test_a.py", "p/tests/x.txt", "setup.py")
    )
    assert flat.sources == {"p/__init__.py": "p", "p/a.py": "p.a"} and flat.roots == (".",)
    assert flat.tests == {"p/tests/test_a.py", "p/tests/x.txt"}
    inner = read_layout(tree(tmp_path / "src", "src/p/__init__.py", "src/p/b/c.py", "conftest.py", "tests/a_test.py"))
    assert inner.sources == {"src/p/__init__.py": "p", "src/p/b/c.py": "p.b.c"} and inner.roots == (".", "src")
    assert inner.tests == {"conftest.py", "tests/a_test.py"}
    single = read_layout(tree(tmp_path / "one", "m.py", "test_m.py", "docs/conf.py", "examples/x.py"))
    assert single.sources == {"m.py": "m"} and (single.package, single.version) == ("m", "0")
    with pytest.raises(TerminalError, match="no package 'q'"):
        read_layout(tmp_path / "flat", "q")


def test_name_and_version_are_the_distributions(tmp_path: Path):
    repo = tree(tmp_path, "p/__init__.py", "test_p.py")
    (repo / "p/__init__.py").write_text("__version__ = '3'\n")
    assert read_layout(repo).version == "3"
    (repo / "pyproject.toml").write_text('[project]\nname = "P-P"\nversion = "2"\n')
    assert read_layout(repo)[:2] == ("P-P", "2")
    (repo / "PKG-INFO").write_text("Name: pp\nVersion: 1.0\n")
    assert read_layout(repo)[:2] == ("pp", "1.0")
    (repo / "PKG-INFO").unlink()
    (repo / "pyproject.toml").write_text("not = [toml")
    assert read_layout(repo)[:2] == ("p", "3")
