"""Memory and number of processes of a whole room, held by a control group: version 2, version 1, or neither.

Which it is shows by trying: a group is made beside or below the one this process is in, and one process has to be
able to join it. An ordinary user seldom may; then `inside.py` looks at the memory instead, and RLIMIT_NPROC counts
the processes. Left out: shares of CPU and of disks. Version 2 is written after the kernel's documentation; the
machine that tests run on may have version 1 alone.
"""

import contextlib
import os
import subprocess
import time
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, Literal, NamedTuple

MB: Final = 1 << 20
ROOT: Final = Path("/sys/fs/cgroup")
PREFIX: Final = "flywheel-room-"
_numbers = count()


class Place(NamedTuple):
    """Where groups can be made."""

    version: Literal[1, 2]
    memory: Path
    pids: Path
    """The same as `memory` where version is 2."""


class Group(NamedTuple):
    """The group of one room."""

    place: Place
    memory: Path
    pids: Path

    @property
    def joined_by(self) -> tuple[Path, ...]:
        """Files to which a process writes 0 to be in it."""
        return tuple(dict.fromkeys(folder / "cgroup.procs" for folder in (self.memory, self.pids)))

    def killed(self) -> int:
        """Processes that the kernel has killed in here for want of memory."""
        name = "memory.events" if self.place.version == 2 else "memory.oom_control"
        words = dict(line.split() for line in (self.memory / name).read_text().splitlines())
        return int(words.get("oom_kill", 0))

    def remove(self) -> None:
        """Remove it. It has to be empty, which takes the kernel a moment after its last process."""
        for folder in {self.memory, self.pids}:
            for _ in range(100):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break


def group(memory_mb: int, processes: int) -> Group | None:
    """A new group under these limits; None where this process may make none."""
    place = where()
    if place is None:
        return None
    _sweep({place.memory, place.pids})
    name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
    made = Group(place, place.memory / name, place.pids / name)
    for folder in {made.memory, made.pids}:
        folder.mkdir()
    (made.pids / "pids.max").write_text(str(processes))
    if place.version == 2:
        (made.memory / "memory.max").write_text(str(memory_mb * MB))
        _if_there(made.memory / "memory.swap.max", "0")
    else:
        (made.memory / "memory.limit_in_bytes").write_text(str(memory_mb * MB))
        _if_there(made.memory / "memory.memsw.limit_in_bytes", str(memory_mb * MB))
    return made


def _sweep(folders: set[Path]) -> None:
    """Remove groups whose maker is gone; one that is not empty stays."""
    for found in (found for folder in folders for found in folder.glob(f"{PREFIX}*")):
        if not Path("/proc", found.name.removeprefix(PREFIX).split("-")[0]).exists():
            with contextlib.suppress(OSError):
                found.rmdir()


@cache
def where() -> Place | None:
    """The place for groups of this process, tried out."""
    own = _own()
    for base in ({} if "" not in own else {ROOT: own[""], ROOT / "unified": own[""]}).items():
        for folder in _upwards(*base):
            with contextlib.suppress(OSError):
                if {"memory", "pids"} <= set((folder / "cgroup.subtree_control").read_text().split()) and _joins(
                    folder
                ):
                    return Place(2, folder, folder)
    if {"memory", "pids"} <= own.keys():
        for memory in _upwards(ROOT / "memory", own["memory"]):
            for pids in _upwards(ROOT / "pids", own["pids"]):
                if _joins(memory) and _joins(pids):
                    return Place(1, memory, pids)
    return None


def _own() -> dict[str, str]:
    """Controller -> path of this process's group; version 2 has the name ''."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def _upwards(base: Path, path: str) -> list[Path]:
    """The folder of `path` and those above it up to `base`, as far as they are there: containers show but a part."""
    inner = base / path.strip("/")
    above = [inner, *inner.parents]
    return [folder for folder in above[: above.index(base) + 1] if (folder / "cgroup.procs").exists()]


def _joins(folder: Path) -> bool:
    """Whether a group can be made in `folder` and a process put into it."""
    trial = folder / f"flywheel-trial-{os.getpid()}-{next(_numbers)}"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        words = ["sh", "-c", 'echo 0 > "$0"', str(trial / "cgroup.procs")]
        return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                trial.rmdir()
                break
            time.sleep(0.01)


def _if_there(path: Path, value: str) -> None:
    """Swap is not accounted everywhere."""
    with contextlib.suppress(OSError):
        path.write_text(value)
