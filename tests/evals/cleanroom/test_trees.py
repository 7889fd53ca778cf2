"""Trees as an agent may leave them."""

import os
import tempfile
from pathlib import Path

import pytest

from evals.cleanroom.bubblewrap import open_room, open_room_at
from evals.cleanroom.in_place import moved_away
from evals.cleanroom.manifest import manifest
from evals.cleanroom.room import Limits
from evals.cleanroom.trees import BadTree, removed, taken_in
from tests.evals.cleanroom.git_tree import repository
from tests.evals.cleanroom.ordinary_user import as_user

DEEP = "import os\nfor _ in range(480): os.mkdir('abcdefgh'); os.chdir('abcdefgh')\n"


def test_links_stay_links_and_pipes_stay_away(tmp_path: Path):
    source = tmp_path / "source"
    (source / "folder").mkdir(parents=True)
    (source / "folder/file").write_text("x")
    (source / "folder/file").chmod(0o750)
    os.utime(source / "folder/file", ns=(1, 2))
    (source / "out").symlink_to("/etc/passwd")
    (source / "loop").symlink_to(".")
    os.mkfifo(source / "pipe")
    taken_in(source, tmp_path / "into", 1)
    assert sorted(path.name for path in (tmp_path / "into").iterdir()) == ["folder", "loop", "out"]
    assert (tmp_path / "into/out").readlink() == Path("/etc/passwd")
    copied = (tmp_path / "into/folder/file").stat()
    assert (copied.st_mode & 0o777, copied.st_mtime_ns) == (0o750, 2)


def test_holes_count_as_if_they_were_full(tmp_path: Path):
    source = tmp_path / "source"
    source.mkdir()
    with (source / "sparse").open("wb") as file:
        file.truncate(3 << 20)
    with pytest.raises(BadTree, match=r"Limits\.disk_mb"):
        taken_in(source, tmp_path / "into", 2)


@pytest.mark.usefixtures("rooms")
def test_folders_deeper_than_a_path_can_say():
    with open_room(None) as room:
        home = room.tree.parent
        assert room.run(["python", "-c", DEEP]).ended in ("exited", "out of disk")
        with pytest.raises(BadTree, match="can't be taken into a room"), open_room(room.tree):
            pass
    assert not home.exists()


@pytest.mark.usefixtures("rooms")
def test_what_lies_deep_is_more_than_a_room_may_write():
    with open_room(None, limits=Limits(disk_mb=60)) as room:
        text = (
            f"{DEEP}\nimport time\nfor n in range(9): open(f'f{{n}}', 'wb').write(bytes(20_000_000)); time.sleep(0.1)\n"
        )
        assert room.run(["python", "-c", text]).ended == "out of disk"


@pytest.mark.usefixtures("rooms")
def test_a_deep_tree_does_not_keep_history_away(tmp_path: Path):
    tree = repository(tmp_path / "tree")
    before = manifest(tree / ".git")
    with moved_away(tree), open_room_at(tree) as room:
        assert room.run(["python", "-c", DEEP]).ok
    assert manifest(tree / ".git") == before
    removed(tree)


def test_folders_without_permissions_are_removed():
    with tempfile.TemporaryDirectory() as made:  # not below tmp_path, which is the test runner's user's alone
        Path(made).chmod(0o777)

        def work() -> bool:
            top = Path(made) / "top"
            (top / "closed/inner").mkdir(parents=True)
            (top / "closed").chmod(0)
            removed(top)
            return top.exists()

        assert as_user(work) is False
