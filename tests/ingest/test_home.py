import json
from pathlib import Path

import pytest

from ingest.home import Home
from models.errors import FlywheelError, TerminalError, TransientError
from tests.ingest.full_disk import files_end_at


def test_a_reader_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=f"^no home at {tmp_path}/none: flywheel demo"):
        Home.existing(tmp_path / "none")
    with pytest.raises(TerminalError, match=r"^no home at"):
        Home.existing(tmp_path)
    assert not list(tmp_path.iterdir())

    made = Home.open(tmp_path / "home")
    assert Home.existing(tmp_path / "home").path == made.path


def test_a_home_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home.json").write_text(json.dumps({"layout": 99}))
    for door in (Home.open, Home.existing):
        with pytest.raises(TerminalError, match="made by a newer version"):
            door(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["home.json"]


def test_what_is_pinned_first_stays(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    assert [home.pin("log", "a"), home.pin("log", "b"), home.pin("other", "b")] == ["a", "a", "b"]


def test_a_lock_is_held_by_one_and_freed_whatever_happens(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    with pytest.raises(OSError, match=r"^mine$"), home.lock("build"):  # an error of the holder's own passes unchanged
        with (
            pytest.raises(TransientError, match=r"another process holds .*/locks/build.lock"),
            home.lock("build", 0.01),
        ):
            pass
        raise OSError("mine")
    with home.lock("build", 0.01):
        pass


def test_what_the_system_refuses_is_one_line_with_the_path_and_the_way_out(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    (tmp_path / "locks").touch()
    for fault in (lambda: home.pin("log", "a"), lambda: home.lock("build").__enter__()):
        with pytest.raises(TerminalError, match=rf"^{tmp_path}/locks/\w+.lock can't be written: .* yours to write to"):
            fault()

    (tmp_path / "locks").unlink()
    (tmp_path / "locks" / "build.lock").mkdir(parents=True)
    with pytest.raises(TerminalError, match=r"build.lock can't be written: Is a directory"), home.lock("build"):
        pass


def test_a_full_disk_leaves_the_pins_as_they_were(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    home.pin("log", "a")
    before = home.facts()
    with files_end_at(10), pytest.raises(FlywheelError, match=r"home.json can't be written: .* make room") as full:
        home.pin("embedding", "b")
    assert isinstance(full.value, TransientError)
    assert home.facts() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home.json", "locks"]
    assert home.pin("embedding", "b") == "b"
