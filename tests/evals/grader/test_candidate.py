import os
from pathlib import Path

import pytest

from benchmarks.clean_room.gauntlet.hacks import plant
from evals.grader.candidate import compose, role, roots
from models.errors import TerminalError
from tests.evals.grader.worlds import attempt, package, parts


def test_only_the_packages_sources_are_taken(tmp_path: Path) -> None:
    changed = {
        "spans/merge.py": "one = 1\n",
        "spans/new/deep.py": "two = 2\n",
        "spans/test_inner.py": "def test(): pass\n",
        "spans/conftest.py": "",
        "spans/__pycache__/merge.cpython-311.pyc": b"\0" * 20,
        "tests/test_merge.py": "",
        "tests/more.py": "",
        "setup.cfg": "[tool:pytest]\n",
        "json.py": "",
        "spans/__init__.py": None,
    }
    case = attempt(tmp_path, changed)
    tree = case.candidate.tree
    left = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    assert left == {"spans/merge.py", "spans/new/deep.py", "tests/test_merge.py"}
    assert (tree / "spans/merge.py").read_text() == "one = 1\n"
    assert (tree / "tests/test_merge.py").read_text() == package("spans").tests()["tests/test_merge.py"]
    assert {change.path for change in case.changes} == set(changed)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/merge.py").write_text("secret = 1\n")
    case = attempt(tmp_path, {"spans/merge.py": f"->{tmp_path}/outside/merge.py", "spans/sub": f"->{tmp_path}/outside"})
    assert not (case.candidate.tree / "spans/merge.py").exists()
    assert not (case.candidate.tree / "spans/sub").exists()
    assert {(change.path, change.role) for change in case.changes} == {
        ("spans/merge.py", "link"),
        ("spans/sub", "link"),
    }


def test_a_tree_that_is_made_to_break_the_grader_counts_as_what_it_is(tmp_path: Path) -> None:
    theirs = plant(dict(package("spans").given()), tmp_path / "theirs")
    (theirs / "spans/merge.py").unlink()
    (theirs / "spans/merge.py").mkdir()
    (theirs / "spans/merge.py/x.py").write_text("one = 1\n")
    os.mkfifo(theirs / "spans/pipe.py")
    (theirs / os.fsdecode(b"spans/\xff.py")).write_text("two = 2\n")
    (theirs / "loop").symlink_to(".")
    with (theirs / "spans/big.py").open("wb") as big:
        big.truncate(10**10)
    candidate = compose(parts(), theirs, tmp_path / "candidate")
    assert (candidate.tree / "spans/merge.py/x.py").exists()
    assert not (candidate.tree / "spans/pipe.py").exists()
    assert not (candidate.tree / "spans/big.py").exists()


def test_the_package_is_seen_however_much_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.grader.candidate.MOST", 5)
    case = attempt(tmp_path, {"spans/merge.py": "one = 1\n", **{f"a/{number}.txt": "x" for number in range(20)}})
    assert (case.candidate.tree / "spans/merge.py").read_text() == "one = 1\n"


def test_no_tree(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match="is no folder"):
        compose(parts(), tmp_path / "nowhere", tmp_path / "candidate")


def test_what_the_package_is() -> None:
    assert roots(parts("sums")) == ("sums/",)
    assert roots(parts("measures")) == ("measures/",)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("spans/merge.py", "source"), ("spans/data.json", "source"), ("spans/tests/test_x.py", "test"),
        ("other.py", "other"),
        ("spans/setup.py", "config"), ("a/b/conftest.py", "config"), ("x.pth", "compiled"),
        ("spans/merge.so", "compiled"),
        ("usercustomize.py", "hook"), ("merge_test.py", "test"), ("helper.py", "test"),
    ],
)  # fmt: skip
def test_roles(path: str, kind: str) -> None:
    assert role(path, ("spans/",), {"helper.py"}) == kind
