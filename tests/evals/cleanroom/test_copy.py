import os
import subprocess
from pathlib import Path

import pytest

from evals.cleanroom.copy import NotCopied, clean_copy
from evals.cleanroom.history import NoHistory
from tests.evals.cleanroom.git_tree import git, repository


def paths(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir() and ".git" not in path.parts}


def test_one_dated_commit_and_the_same_one_twice(tmp_path: Path):
    source = repository(tmp_path / "source")
    (source / "acme/core.py").write_text("changed, not committed")
    (source / "forgotten.txt").write_text("not tracked")
    one, two = (clean_copy(source, tmp_path / name) for name in ("one", "two"))
    assert one.commit == two.commit
    assert paths(one.tree) == {"acme/core.py"}
    assert (one.tree / "acme/core.py").read_text() == "def f():\n    return 1\n"
    assert git(one.tree, "log", "--all", "--format=%ct %s").splitlines() == ["1767323045 The tree as it is given"]
    assert git(one.tree, "status", "--porcelain") == ""
    assert one.taken_from == git(source, "rev-parse", "HEAD")
    assert one.taken_from
    assert one.taken_from.encode() not in b"".join(
        path.read_bytes() for path in (one.tree / ".git").rglob("*") if path.is_file()
    )


def test_attributes_and_configuration_of_the_source_have_no_say(tmp_path: Path):
    source = repository(
        tmp_path / "source",
        a_py="1\n",
        test_py="2\n",
        **{".gitattributes": "test.py export-ignore\na.py filter=evil\n"},
    )
    ran = tmp_path / "ran"
    for name in (
        "core.fsmonitor",
        "filter.evil.smudge",
        "filter.evil.clean",
        "core.sshCommand",
        "uploadpack.packObjectsHook",
    ):
        git(source, "config", name, f"touch {ran}")
    hooks = source / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    copied = clean_copy(source, tmp_path / "copy")
    assert paths(copied.tree) == {"a.py", "test.py", ".gitattributes"}
    assert not ran.exists()


def test_a_folder_within_a_repository(tmp_path: Path):
    source = repository(tmp_path / "source", a__b_py="1\n", c_py="2\n")
    (source / "plain").mkdir()
    (source / "plain/x.py").write_text("3\n")
    assert paths(clean_copy(source / "a", tmp_path / "one").tree) == {"b.py"}
    copied = clean_copy(source / "plain", tmp_path / "two")
    assert (paths(copied.tree), copied.taken_from) == ({"x.py"}, None)


def test_a_linked_worktree(tmp_path: Path):
    source = repository(tmp_path / "source")
    git(source, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    assert paths(clean_copy(tmp_path / "linked", tmp_path / "copy").tree) == {"acme/core.py"}


def test_submodules_are_empty_folders_and_said(tmp_path: Path):
    inner = repository(tmp_path / "inner")
    source = repository(tmp_path / "source")
    git(source, "submodule", "add", "-q", str(inner), "sub")
    git(source, "commit", "-qm", "two")
    copied = clean_copy(source, tmp_path / "copy")
    assert copied.submodules == ("sub",)
    assert list((copied.tree / "sub").iterdir()) == []


def test_a_partial_clone_says_that_it_is_not_all_there(tmp_path: Path):
    source = repository(tmp_path / "source")
    git(source, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{source}", "partial")
    with pytest.raises(NoHistory, match="not all there"):
        clean_copy(tmp_path / "partial", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_shallow_clone_is_enough(tmp_path: Path):
    source = repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{source}", "shallow")
    assert paths(clean_copy(tmp_path / "shallow", tmp_path / "copy").tree) == {"acme/core.py"}


def test_pointers_of_large_files_are_said(tmp_path: Path):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    source = repository(tmp_path / "source", a_py="1\n", large=pointer)
    assert clean_copy(source, tmp_path / "copy").pointers == ("large",)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a/__pycache__/b.pyc", "compiled code"),
        (".mypy_cache/x.json", "a cache of a tool"),
        (".coverage", "what coverage saw"),
        ("build/lib/acme/core.py", "a build"),
        ("acme.egg-info/RECORD", "what an installer wrote"),
        ("acme/core.py.orig", "a merge's or a patch's leftover"),
        ("acme/core.py.rej", "a merge's or a patch's leftover"),
        ("acme/core.py~", "an editor's copy"),
        ("core.1234", "a core dump"),
        ("vendored/acme/core.py", "a copy of acme"),
        ("venv/lib/python3/site-packages/acme/core.py", "an installed environment"),
        ("all.bundle", "history"),
        ("inner/.git/objects/aa/bb", "history"),
        ("fix.patch", "a patch"),
    ],
)
def test_what_lies_around_in_a_plain_folder_is_left_out(tmp_path: Path, name: str, why: str):
    source = tmp_path / "source"
    for path, text in ((source / name, "x"), (source / "acme/core.py", "1\n"), (source / "vendored/other/a.py", "2\n")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    copied = clean_copy(source, tmp_path / "copy", package="acme")
    assert paths(copied.tree) == {"acme/core.py", "vendored/other/a.py"}
    assert list(copied.left_out.values()) == [why]
    assert name.startswith(next(iter(copied.left_out)))


def test_what_names_a_build_is_a_name_where_it_is_tracked(tmp_path: Path):
    source = repository(tmp_path / "source", build__a_py="1\n", b_py="2\n", b_py_orig="3\n")
    assert (source / "b.py_orig").exists()
    assert paths(clean_copy(source, tmp_path / "copy").tree) == {"build/a.py", "b.py", "b.py_orig"}


def test_links_stay_inside_and_the_rest_is_left_out(tmp_path: Path):
    source = tmp_path / "source"
    (source / "a").mkdir(parents=True)
    (source / "a/x.py").write_text("1\n")
    (source / "in").symlink_to("a/x.py")
    (source / "a/up").symlink_to("../../secret")
    (source / "absolute").symlink_to("/etc/passwd")
    (source / "folder").symlink_to("..")
    os.mkfifo(source / "fifo")
    copied = clean_copy(source, tmp_path / "copy")
    assert paths(copied.tree) == {"a/x.py", "in"}
    assert set(copied.left_out) == {"a/up", "absolute", "folder", "fifo"}


@pytest.mark.parametrize("is_tracked", [True, False])
def test_too_large(tmp_path: Path, is_tracked: bool):
    source = repository(tmp_path / "source", a_py="1\n" * 1_000_000, b_py="2\n")
    if not is_tracked:
        subprocess.run(["rm", "-rf", str(source / ".git")], check=True)
    for max_mb, max_files in ((1, 100), (100, 1)):
        with pytest.raises(NotCopied, match="too large"):
            clean_copy(source, tmp_path / "copy", max_mb=max_mb, max_files=max_files)
        assert not (tmp_path / "copy").exists()


def test_no_code_no_folder_no_commit(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotCopied, match="no code"):
        clean_copy(tmp_path / "empty", tmp_path / "copy")
    with pytest.raises(NotCopied, match="no folder"):
        clean_copy(tmp_path / "nowhere", tmp_path / "copy")
    git(tmp_path / "empty", "init", "-q")
    with pytest.raises(NoHistory, match="HEAD"):
        clean_copy(tmp_path / "empty", tmp_path / "copy")
