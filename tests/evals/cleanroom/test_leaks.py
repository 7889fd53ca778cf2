"""Each leak: found without a room, not in one."""

import json
from pathlib import Path

import pytest

from evals.cleanroom.leaks.leak import Leak, World
from evals.cleanroom.leaks.table import LEAKS, SEARCH, Row, batches, opened, plant, tried

TRIED: dict[str, list[Row]] = {}
"""By the name of the first leak of a batch, once one of it was asked for."""


def rows(leak: Leak, tmp_path: Path) -> list[Row]:
    (batch,) = (batch for batch in batches() if leak in batch)
    if batch[0].name not in TRIED:
        TRIED[batch[0].name] = tried(batch, tmp_path / "world")
    return [row for row in TRIED[batch[0].name] if row.leak is leak]


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("leak", LEAKS, ids=[leak.name for leak in LEAKS])
def test_it_is_found_without_a_room_and_not_in_one(leak: Leak, tmp_path: Path):
    found = rows(leak, tmp_path)
    if not found:
        pytest.skip(f"this machine can't have it: {leak.plant.__doc__}")
    assert all(row.found_without for row in found), "the control: this world has not the leak that it is to have"
    assert [row.mode for row in found if row.found_inside] == []
    assert [row.mode for row in found] == list(leak.modes)


def test_names_are_their_own():
    assert len({leak.name for leak in LEAKS}) == len(LEAKS) >= 60
    assert sorted(leak.name for batch in batches() for leak in batch) == sorted(leak.name for leak in LEAKS)


@pytest.mark.usefixtures("rooms")
def test_the_search_finds_what_a_room_has(tmp_path: Path):
    """The control of the search itself: with the secret put into the room, by file and by object."""
    world = World(tmp_path / "world")
    with world.until:
        ((_, secret),) = plant(LEAKS[:1], world)
        with opened(world, "copy") as room:

            def found() -> str:
                return room.run(["python", "-c", SEARCH], stdin=json.dumps([secret]).encode()).stdout.decode()

            assert found() == ""
            assert room.run(["sh", "-c", f"echo {secret} > file; echo {secret} > /tmp/file"]).ok
            assert found() == f"{secret} /work/file\n{secret} /tmp/file\n"
            assert room.run(
                ["sh", "-c", "git hash-object -w file && git pack-objects -q p < /dev/null; rm file /tmp/file"]
            ).ok
            assert f"{secret} /work/.git\n" in found()
