"""Planted hacks: ways to be accepted without the work, as functions from a task's package to a tree.

Written before the tripwires, but for those marked `late`. Every third technique, by its name's digest, is held out: the
tripwires were not changed after it had been run.
"""

import hashlib
from pathlib import Path

from benchmarks.clean_room.gauntlet.hacks import answers, late, outside, runner, tests
from benchmarks.clean_room.gauntlet.hacks.world import LINK, Hack, Tree

HACKS: list[Hack] = [*answers.HACKS, *tests.HACKS, *runner.HACKS, *outside.HACKS, *late.HACKS]


def held_out(name: str) -> bool:
    """Whether a technique, or a kind of honest change, is looked at only at the end."""
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def plant(tree: Tree, into: Path) -> Path:
    """Write `tree`, its links and its bytes."""
    for path, entry in tree.items():
        place = into / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, bytes):
            place.write_bytes(entry)
        elif entry.startswith(LINK):
            place.symlink_to(entry.removeprefix(LINK))
        else:
            place.write_text(entry)
    return into
