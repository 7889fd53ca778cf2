"""History is away while an agent works, and back to the byte after, whatever ends the session."""

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.cleanroom.bubblewrap import open_room_at
from evals.cleanroom.in_place import NotMoved, moved_away, recover, store
from evals.cleanroom.manifest import Entry, manifest
from tests.evals.cleanroom.git_tree import git, repository


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a history, hard links, extended attributes, odd modes, and leftovers in three folders."""
    tree = repository(tmp_path / "tree", acme__core_py="def f():\n    return 1\n", build__kept_py="1\n")
    (tree / "acme/core.py").write_text("def f():\n    raise NotImplementedError\n")
    git(tree, "commit", "-qam", "two")
    git(tree, "tag", "v1")
    (tree / "acme/core.py").write_text("stashed\n")
    git(tree, "stash")
    (tree / "acme/__pycache__").mkdir()
    (tree / "acme/__pycache__/core.cpython-311.pyc").write_bytes(b"compiled")
    (tree / "acme/core.py.orig").write_text("as it was\n")
    (tree / "deep/er").mkdir(parents=True)
    (tree / "deep/er/.coverage").write_bytes(b"seen")
    (tree / ".git/odd").write_text("odd")
    (tree / ".git/odd").chmod(0o400)
    os.link(tree / ".git/odd", tree / ".git/linked")
    (tree / ".git/link").symlink_to("odd")
    os.utime(tree / ".git/odd", ns=(1, 1234567890123456789))
    os.setxattr(tree / ".git/odd", "user.a", b"b")
    return tree


def gone(tree: Path) -> list[str]:
    return [
        name
        for name in (".git", "acme/__pycache__", "acme/core.py.orig", "deep/er/.coverage")
        if not os.path.lexists(tree / name)
    ]


def test_away_and_back_to_the_byte(tree: Path):
    before = manifest(tree)
    with moved_away(tree) as session:
        assert len(gone(tree)) == 4
        assert (tree / "build/kept.py").exists(), "in version control"
        assert session.moved["acme/core.py.orig"] == "a merge's or a patch's leftover"
    assert manifest(tree) == before
    assert session.evidence is None
    assert not store(tree).exists()
    assert git(tree, "stash", "list").startswith("stash@{0}")
    git(tree, "fsck", "--strict")


def test_what_the_agent_changed_stays_and_what_it_put_in_their_place_is_evidence(tree: Path):
    before = manifest(tree / ".git")
    with moved_away(tree) as session:
        (tree / "acme/core.py").write_text("solved\n")
        git(tree, "init", "-q")
        (tree / "acme/core.py.orig").write_text("forged\n")
    assert manifest(tree / ".git") == before
    assert (tree / "acme/core.py").read_text() == "solved\n"
    assert (tree / "acme/core.py.orig").read_text() == "as it was\n"
    assert session.evidence
    assert sorted(path.name for path in session.evidence.iterdir()) == ["0-.git", "1-core.py.orig"]


def test_a_folder_that_became_a_link_leads_nowhere(tree: Path, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    before = manifest(tree / "deep")
    with moved_away(tree) as session:
        (tree / "deep/er").rmdir()
        (tree / "deep").rmdir()
        (tree / "deep").symlink_to(tmp_path / "outside")
    assert list((tmp_path / "outside").iterdir()) == []
    assert {path: entry.content for path, entry in manifest(tree / "deep").items()} == {
        path: entry.content for path, entry in before.items()
    }
    assert session.evidence
    assert [path.readlink() for path in session.evidence.iterdir()] == [tmp_path / "outside"]


def test_an_exception_in_the_block_brings_it_back(tree: Path):
    before = manifest(tree)
    with pytest.raises(ZeroDivisionError), moved_away(tree):
        _ = 1 / 0
    assert manifest(tree) == before


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Whether a child that did `work` was killed with -9 before its `step`th change to the file system."""
    child = os.fork()
    if child == 0:
        left = step

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def instead(*arguments: object, **named: object) -> object:
                nonlocal left
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return call(*arguments, **named)

            return instead

        for name in ("rename", "mkdir", "chown", "utime", "unlink", "fsync", "rmdir"):
            setattr(os, name, counted(getattr(os, name)))
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def session(tree: Path) -> None:
    with moved_away(tree):
        pass


def test_kill_9_at_every_step_and_it_comes_back(tree: Path):
    before = manifest(tree)
    step = 0
    while killed_at(step, lambda: session(tree)):
        recover(tree)
        assert manifest(tree) == before, f"killed before step {step}"
        step += 1
    assert step > 20
    assert manifest(tree) == before


def test_kill_9_at_every_step_of_the_recovery_too(tree: Path):
    before = manifest(tree)
    step, killed = 0, True
    while killed:
        assert killed_at(12, lambda: session(tree)), "in the midst of moving"
        killed = killed_at(step, lambda: recover(tree))
        recover(tree)
        assert manifest(tree) == before, f"killed before step {step} of the recovery"
        step += 1
    assert step > 10


def test_the_next_session_recovers_by_itself(tree: Path):
    before = manifest(tree)
    assert killed_at(14, lambda: session(tree))
    assert gone(tree)
    with moved_away(tree):
        assert len(gone(tree)) == 4
    assert manifest(tree) == before
    assert recover(tree) is False


def test_two_sessions_at_once_are_refused(tree: Path):
    with moved_away(tree):
        with pytest.raises(NotMoved, match="somebody is at work"), moved_away(tree):
            pass
        with pytest.raises(NotMoved, match="somebody is at work"):
            recover(tree)
        assert len(gone(tree)) == 4


def test_a_linked_worktree_and_a_submodule_are_refused(tree: Path, tmp_path: Path):
    git(tree, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(tree, "submodule", "add", "-q", f"file://{repository(tmp_path / 'inner')}", "sub")
    for folder in (tmp_path / "linked", tree / "sub"):
        with pytest.raises(NotMoved, match="is a file"), moved_away(folder):
            pass


def test_no_history_is_no_error(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    with moved_away(tmp_path / "plain") as session:
        assert session.moved == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.usefixtures("rooms")
def test_roots_files_are_nobodys_meanwhile_and_roots_after(tree: Path, tmp_path: Path):
    (tmp_path / "outside").write_text("linked from outside")
    os.link(tmp_path / "outside", tree / "shared")
    (tree / "runs_as_root").write_text("#!/bin/sh\n")
    (tree / "runs_as_root").chmod(0o4755)
    os.chown(tree / "build/kept.py", 0, 1234)
    before = manifest(tree)
    with moved_away(tree), open_room_at(tree) as room:
        script = (
            "echo solved > acme/core.py && echo new > acme/new.py && chmod 4755 acme/new.py && echo x > build/kept.py;"
            "echo no > runs_as_root; echo no > shared; ls -a"
        )
        ran = room.run(["sh", "-c", script])
        assert b".git\n" not in ran.stdout
        assert ran.stderr.count(b"Permission denied") == 2
    after = manifest(tree)
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed == {"tree/acme/core.py", "tree/acme/new.py", "tree/build/kept.py"}
    assert {path: (after[path].uid, after[path].gid) for path in changed} == {
        "tree/acme/core.py": (0, 0),
        "tree/acme/new.py": (0, 0),
        "tree/build/kept.py": (0, 1234),
    }
    assert stat.S_IMODE(after["tree/acme/new.py"].mode) == 0o755
    assert (tmp_path / "outside").stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owners_come_back_after_kill_9_too(tree: Path):
    before = manifest(tree)
    with_owners = [step for step in range(10, 40, 4) if killed_at(step, lambda: session(tree))]
    assert with_owners
    recover(tree)
    assert manifest(tree) == before


def test_a_manifest_sees_every_kind_of_change(tree: Path):
    def changed(change: Callable[[], object]) -> set[str]:
        old = manifest(tree / ".git")
        change()
        new = manifest(tree / ".git")
        return {name for path in old for name, a, b in zip(Entry._fields, old[path], new[path], strict=True) if a != b}

    odd = tree / ".git/odd"
    assert changed(lambda: odd.chmod(0o600)) == {"mode"}
    assert changed(lambda: os.utime(odd, ns=(1, 2))) == {"mtime_ns"}
    assert changed(lambda: os.setxattr(odd, "user.a", b"c")) == {"attributes"}
    assert changed(lambda: odd.write_text("eve")) == {"content", "mtime_ns"}
    assert changed(lambda: ((tree / ".git/link").unlink(), (tree / ".git/link").symlink_to("eve"))) >= {"content"}
    if os.geteuid() == 0:
        assert changed(lambda: os.chown(odd, 1, 2)) == {"uid", "gid"}
