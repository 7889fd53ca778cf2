"""How much a room has written, looked at while its commands run.

A tmpfs of a fixed size would be exact, but nobody outside could see the tree in it, and it would take memory; quotas
need root and their own file system. So the free space of the file system is asked for, which costs nothing, and only
where that has sunk is the tree measured, and what processes hold open that has no name any more. Every file counts
for 4 KB beside its content: a disk is full of empty ones too; what lies deeper than a path can say is more than any
room may write. Left out: what is mapped but no longer open.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

MB: Final = 1 << 20
INODE: Final = 4096
"""Bytes that a file takes, whatever is in it."""
ENDLESS: Final = 1 << 60
SHARE: Final = 16
"""The tree is measured again when the free space has sunk by this part of what the room may write."""


class Disk:
    """What lies below `folders`, against a limit in MB beyond what lies there now. `processes` are those of the
    room."""

    def __init__(self, folders: Sequence[Path], limit_mb: int, processes: Callable[[], Iterable[int]]) -> None:
        self._folders, self._limit, self._processes = folders, limit_mb * MB, processes
        self._before = self._latest = size(folders)
        self._free = self._asked()

    def is_full(self) -> bool:
        """Whether more than the limit was written, and more since the last look: who tidies up is let."""
        free = self._asked()
        if free > self._free - self._limit // SHARE:
            self._free = max(self._free, free)
            return False
        self._free = free
        earlier, self._latest = self._latest, size(self._folders) + nameless(self._processes())
        grown = self._latest - earlier > self._limit // SHARE // 2  # less is the file system's own doing
        return grown and self._latest - self._before > self._limit

    def rest(self) -> None:
        """Between two commands: what the last one wrote while it was being ended is not the next one's."""
        if self._latest - self._before > self._limit:
            self._latest = size(self._folders)

    def _asked(self) -> int:
        told = os.statvfs(self._folders[0])
        return told.f_bfree * told.f_frsize + told.f_ffree * INODE


def size(folders: Sequence[Path]) -> int:
    """Bytes on disk of all files below `folders`, each counted once. Follows no link; what vanishes meanwhile is 0."""
    seen: set[tuple[int, int]] = set()
    total = 0
    left = [str(folder) for folder in folders]
    while left:
        try:
            with os.scandir(left.pop()) as listed:
                entries = list(listed)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return ENDLESS
            continue
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    return ENDLESS
                continue
            if stat.S_ISDIR(found.st_mode):
                left.append(entry.path)
            if (key := (found.st_dev, found.st_ino)) not in seen:
                seen.add(key)
                total += found.st_blocks * 512 + INODE
    return total


def nameless(processes: Iterable[int]) -> int:
    """Bytes on disk of the files that `processes` have open and that have no name any more, each counted once."""
    found: dict[tuple[int, int], int] = {}
    for process in processes:
        try:
            entries = list(os.scandir(f"/proc/{process}/fd"))
        except OSError:
            continue
        for entry in entries:
            try:
                told = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(told.st_mode) and told.st_nlink == 0:
                found[told.st_dev, told.st_ino] = told.st_blocks * 512 + INODE
    return sum(found.values())
