import os
import time
from pathlib import Path

import pytest

from ingest.durable import TEMPORARY, make_folder, put_if_absent, replace, sweep
from models.errors import TerminalError


def test_the_first_to_put_a_file_wins(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b" / "file"
    assert put_if_absent(place, b"first")
    assert not put_if_absent(place, b"second")
    assert place.read_bytes() == b"first"
    assert [path.name for path in place.parent.iterdir()] == ["file"]


def test_replace_puts_the_new_in_the_place_of_the_old(tmp_path: Path) -> None:
    place = tmp_path / "a" / "file"
    replace(place, b"old")
    replace(place, b"new")
    assert place.read_bytes() == b"new"
    assert [path.name for path in place.parent.iterdir()] == ["file"]


def test_files_get_the_rights_that_any_new_file_gets(tmp_path: Path) -> None:
    put_if_absent(tmp_path / "ours", b"")
    (tmp_path / "any").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_what_the_system_refuses_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    (tmp_path / "file").touch()
    with pytest.raises(
        TerminalError, match=r"/folder can't be written: Is a directory \(it has 1 bytes, [0-9,]+ are free"
    ):
        replace(tmp_path / "folder", b"x")
    with pytest.raises(TerminalError, match=r"/file/below can't be written: (Not a directory|File exists)"):
        put_if_absent(tmp_path / "file" / "below", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_sweep_removes_what_killed_writers_left_and_nothing_else(tmp_path: Path) -> None:
    old, new = tmp_path / f".a.1{TEMPORARY}", tmp_path / f".b.2{TEMPORARY}"
    for path in (old, new, tmp_path / "a", tmp_path / ".hidden"):
        path.touch()
        if path != new:
            os.utime(path, (time.time() - 7_200, time.time() - 7_200))

    assert sweep(tmp_path) == 1

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([".b.2.partial", ".hidden", "a"])
    assert sweep(tmp_path / "nowhere") == 0


def test_make_folder_makes_all_that_is_missing(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
