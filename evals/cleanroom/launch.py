"""How bubblewrap itself is started: in the room's control group, and where root starts it, as somebody who is nobody.

bubblewrap started by root maps root into the room, whatever uid it shows there: files that only root may read stay
readable. So the uid is dropped before. What the new uid can't reach (an interpreter below a home of mode 0700) is
mounted once more where it can, in a mount namespace that ends with the room.
"""

import os
import stat
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

NOBODY: Final = 65534
"""Who commands are outside, where root opens a room; nobody else's files are theirs."""

SCRIPT: Final = """
while [ "$1" != - ]; do echo 0 > "$1" || exit 71; shift; done; shift
while [ "$1" != - ]; do mount --bind "$1" "$2" || exit 72; shift 2; done; shift
exec "$@"
"""
"""Join groups, mount, and turn into the rest."""


class Owner(NamedTuple):
    """Who commands are outside."""

    uid: int
    gid: int


class Bind(NamedTuple):
    """A folder of this machine and where it lies inside."""

    source: Path
    inside: str
    writable: bool = False


@cache
def is_root() -> bool:
    """Whether this is root and can be somebody else. Root of a container without other users is but its one user."""
    maps = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return os.geteuid() == 0 and any(int(first) <= NOBODY < int(first) + int(count) for first, _, count in maps)


def owner() -> Owner:
    """Who commands are outside, unless the room is somebody's: this user, or nobody where that is root."""
    return Owner(NOBODY, NOBODY) if is_root() else Owner(os.geteuid(), os.getegid())


def reachable(path: Path, who: Owner) -> bool:
    """Whether `who`, without any group, gets through all folders above `path`. Sees no ACL: then it says no."""
    for folder in path.parents:
        found = folder.stat()
        if not found.st_mode & (stat.S_IXUSR if found.st_uid == who.uid else stat.S_IXOTH):
            return False
    return True


def brought_near(binds: Sequence[Bind], who: Owner, places: Path) -> tuple[list[Bind], list[tuple[Path, Path]]]:
    """`binds` with sources that `who` can reach, and what has to be mounted for it: from, to (a new folder in
    `places`)."""
    near: list[Bind] = []
    mounts: list[tuple[Path, Path]] = []
    for bind in binds:
        if is_root() and not reachable(bind.source, who):
            place = places / str(len(mounts))
            place.mkdir(exist_ok=True)
            mounts.append((bind.source, place))
            near.append(bind._replace(source=place))
        else:
            near.append(bind)
    return near, mounts


def words(
    command: Sequence[str], who: Owner, groups: Sequence[Path] = (), mounts: Sequence[tuple[Path, Path]] = ()
) -> list[str]:
    """`command`, started as `who` (this user, or anybody where that is root) in `groups` (their cgroup.procs)."""
    inner = list(command)
    if is_root():
        inner = [
            "setpriv", "--reuid", str(who.uid), "--regid", str(who.gid), "--clear-groups", "--inh-caps=-all",
            "--no-new-privs", "--", *inner,
        ]  # fmt: skip
    if not groups and not mounts:
        return inner
    flat = [str(path) for mount in mounts for path in mount]
    shell = ["sh", "-c", SCRIPT, "sh", *map(str, groups), "-", *flat, "-", *inner]
    return ["unshare", "--mount", *shell] if mounts else shell
