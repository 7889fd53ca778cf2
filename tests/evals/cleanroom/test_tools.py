from pathlib import Path

import pytest

from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.tools import NoTool, required, tools

LIST = "from importlib.metadata import distributions; print(sorted(d.name.lower() for d in distributions()))"


@pytest.mark.usefixtures("rooms")
def test_a_room_has_the_tools_and_no_other_distribution(tmp_path: Path):
    made = tools(("pytest",), tmp_path / "tools")
    with open_room(None, tools=made) as room:
        seen = room.run(["python", "-c", LIST]).stdout.decode()
        assert seen.strip() == str(sorted(required(("pytest",))))
        (room.tree / "test_it.py").write_text("def test_one():\n    assert 1 + 1 == 3\n")
        ran = room.run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider"])
        assert (ran.ended, ran.code) == ("exited", 1)
        assert b"assert (1 + 1) == 3" in ran.stdout
    with open_room(None) as room:
        assert room.run(["python", "-c", LIST]).stdout == b"[]\n"
        for also in ("/usr/bin/python3", "python"):
            assert room.run([also, "-c", "import pip"]).code in (1, 127)


def test_what_is_required_comes_along():
    assert {"pytest", "pluggy", "iniconfig"} <= set(required(("pytest",)))


@pytest.mark.parametrize("name", ["pytest", "Pluggy", "_pytest"])
def test_what_is_under_test_is_no_tool(tmp_path: Path, name: str):
    with pytest.raises(NoTool, match="under test"):
        tools(("pytest",), tmp_path / "tools", but_not=(name,))


def test_what_is_not_installed_is_named(tmp_path: Path):
    with pytest.raises(NoTool, match="pip install no-such-distribution"):
        tools(("no-such-distribution",), tmp_path / "tools")
