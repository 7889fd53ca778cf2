"""Without root: no control groups, so memory is looked at and rlimits hold the rest."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.cleanroom.bubblewrap import open_room, open_room_at
from evals.cleanroom.in_place import NotMoved, moved_away
from evals.cleanroom.manifest import manifest
from evals.cleanroom.room import Limits, NoRoom
from tests.evals.cleanroom.git_tree import repository
from tests.evals.cleanroom.ordinary_user import USER, as_user

pytestmark = [
    pytest.mark.usefixtures("rooms"),
    pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs an interpreter that everybody can reach"),
]
USR = Path("/usr")


@pytest.fixture
def tree() -> Iterator[Path]:
    """A repository of the ordinary user, where they can reach it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        tree = repository(Path(folder, "theirs/tree"))
        (tree / "acme/core.py.orig").write_text("as it was\n")
        if os.geteuid() == 0:
            for path in (tree.parent, *tree.parent.rglob("*")):
                os.chown(path, USER, USER, follow_symlinks=False)
        yield tree


def test_a_room_holds_memory_and_processes(tmp_path: Path):
    def work() -> Any:
        with open_room(None, limits=Limits(seconds=20, memory_mb=150, processes=30), python=USR) as room:
            hogs = (
                "import subprocess, sys\n"
                "hog = [sys.executable, '-c', 'import time; b = bytearray(70 << 20); time.sleep(9)']\n"
                "[child.wait() for child in [subprocess.Popen(hog) for _ in range(4)]]"
            )
            forks = (
                "import os, time\n"
                "made = 0\n"
                "try:\n"
                "    while True:\n"
                "        if os.fork() == 0: time.sleep(30)\n"
                "        made += 1\n"
                "except BlockingIOError: print(made)\n"
            )
            return [
                room.run(["python", "-c", "b = bytearray(400 << 20)"]).stderr.decode(),
                room.run(["python", "-c", hogs]).ended,
                int(room.run(["python", "-c", forks]).stdout),
                room.run(["id", "-u"]).stdout.decode(),
            ]

    one, together, forks, uid = as_user(work)
    assert "MemoryError" in one
    assert together == "out of memory"
    assert 5 < forks < 30
    assert uid == "1000\n"


def test_their_history_goes_away_and_comes_back(tree: Path):
    def work() -> Any:
        with moved_away(tree) as session, open_room_at(tree, python=USR) as room:
            ran = room.run(["sh", "-c", "echo made > new; ls -a"])
        return [ran.stdout.decode().split(), sorted(session.moved)]

    before = manifest(tree / ".git")
    listed, moved = as_user(work)
    assert (listed, moved) == ([".", "..", "acme", "new"], [".git", "acme/core.py.orig"])
    assert manifest(tree / ".git") == before
    assert (tree / "new").stat().st_uid == tree.stat().st_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="needs somebody else")
def test_what_is_somebody_elses_is_refused(tree: Path):
    for path in (tree, tree.parent):
        os.chown(path, USER + 1, USER + 1)

    def work() -> Any:
        said: list[str] = []
        for opened in (moved_away(tree), open_room_at(tree, python=USR)):
            try:
                with opened:
                    said.append("opened")
            except (NotMoved, NoRoom) as error:
                said.append(str(error))
        return said

    assert all(f"belongs to user {USER + 1}" in said for said in as_user(work))


def test_an_interpreter_is_a_prefix(tmp_path: Path):
    with pytest.raises(NoRoom, match="no interpreter's prefix"), open_room(None, python=tmp_path):
        pass
