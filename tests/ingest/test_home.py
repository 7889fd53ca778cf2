import json
from pathlib import Path

import pytest

from ingest.home import Home
from models.errors import TerminalError


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
