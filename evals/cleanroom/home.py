"""The folder of this machine in which a room lies: its tree, its temporary files, and what is written for it."""

import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from evals.cleanroom import launch
from evals.cleanroom.room import NoRoom
from evals.cleanroom.trees import removed, walked

PREFIX: Final = "room-"
"""Commands can read the names of these folders."""
LOCK: Final = "lock"


@contextmanager
def home_of_a_room() -> Generator[Path]:
    """A new folder that whoever works in the room can reach."""
    bases = [Path(tempfile.gettempdir()), *map(Path, ("/tmp", "/var/tmp", "/dev/shm"))]
    who = launch.owner()
    base = next(
        (base for base in bases if not launch.is_root() or (base.is_dir() and launch.reachable(base / "room", who))),
        None,
    )
    if base is None:
        raise NoRoom(f"no folder for temporary files can be reached by other users than root: {bases}")
    _sweep(base)
    home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    with (home / f"{LOCK}.new").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (home / f"{LOCK}.new").rename(home / LOCK)  # held before it can be seen: others sweep meanwhile
        try:
            home.chmod(0o711)
            yield home
        finally:
            removed(home)


def _sweep(base: Path) -> None:
    """Remove homes whose opener was killed: nobody holds their lock."""
    for home in base.glob(f"{PREFIX}*"):
        try:
            if home.is_symlink() or home.stat().st_uid != os.geteuid():
                continue
            with (home / LOCK).open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                removed(home)
        except OSError:
            continue


def hand_over(tree: Path, who: launch.Owner) -> None:
    """Make `tree`, which is ours, theirs."""
    if not launch.is_root():
        return
    os.chown(tree, *who)
    for path, _ in walked(tree):
        os.chown(tree / path, *who, follow_symlinks=False)
