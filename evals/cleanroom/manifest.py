"""All that is to be said of what lies below a path: two equal manifests, two equal trees to the byte.

Left out: times of access and of change of the inode, which no program can set back, and ACLs beyond those in extended
attributes.
"""

import hashlib
import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

CHUNK: Final = 1 << 20


class Entry(NamedTuple):
    """A file, folder or link."""

    mode: int
    """Kind and permissions."""
    uid: int
    gid: int
    size: int
    """In bytes; 0 for a folder, whose size is the file system's."""
    mtime_ns: int
    content: str
    """sha256 of a file; where a link leads to."""
    same_as: str
    """Of the paths that are hard links of one file, the first; itself, where it is alone."""
    attributes: tuple[tuple[str, bytes], ...]
    """Extended ones."""


def manifest(*tops: Path) -> dict[str, Entry]:
    """Path (relative to the folder that a top lies in) -> entry, of `tops` and all below. Follows no link. Raises
    OSError where something can't be read.
    """
    found: dict[str, Entry] = {}
    first: dict[tuple[int, int], str] = {}
    for top in tops:
        for path in sorted(_all(top)):
            name = str(path.relative_to(top.parent))
            told = path.lstat()
            content, size = "", told.st_size
            if stat.S_ISREG(told.st_mode):
                content = digest(path)
            elif stat.S_ISLNK(told.st_mode):
                content = str(path.readlink())
            elif stat.S_ISDIR(told.st_mode):
                size = 0
            same_as = name if stat.S_ISDIR(told.st_mode) else first.setdefault((told.st_dev, told.st_ino), name)
            found[name] = Entry(
                told.st_mode, told.st_uid, told.st_gid, size, told.st_mtime_ns, content, same_as, _attributes(path)
            )
    return found


def digest(path: Path) -> str:
    """sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _all(top: Path) -> list[Path]:
    found = [top]
    if top.is_dir() and not top.is_symlink():
        for folder, folders, files in os.walk(top):
            found += [Path(folder, name) for name in (*folders, *files)]
    return found


def _attributes(path: Path) -> tuple[tuple[str, bytes], ...]:
    names = sorted(os.listxattr(path, follow_symlinks=False))
    return tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in names)
