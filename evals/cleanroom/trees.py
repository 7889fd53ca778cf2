"""Trees that somebody else has written: copied, walked and removed without believing anything about them.

They may hold pipes, links to anywhere, files with large holes, folders without permissions, and folders nested deeper
than a path can say.
"""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from models.errors import TerminalError


class BadTree(TerminalError):
    """A tree that can't be taken into a room; says why."""


def walked(top: Path) -> Iterator[tuple[Path, os.DirEntry[str]]]:
    """Path relative to `top`, and entry, of all below it, folders before what is in them. Follows no link; what can't
    be read, or named, is passed over.
    """
    left = [Path()]
    while left:
        folder = left.pop()
        try:
            entries = sorted(os.scandir(top / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = folder / entry.name
            if entry.is_dir(follow_symlinks=False):
                left.append(path)
            yield path, entry


def taken_in(source: Path, into: Path, limit_mb: int) -> None:
    """Copy the folder `source` to the new folder `into`: files with modes and times, links as links, nothing else.

    Raises BadTree where it can't be read whole, or is larger than `limit_mb`, holes counted as if they were full.
    """
    into.mkdir()
    size = 0
    try:
        for path, entry in walked(source):
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                (into / path).mkdir()
                next((source / path).iterdir(), None)  # raises where it can't be read
            elif stat.S_ISLNK(found.st_mode):
                (into / path).symlink_to((source / path).readlink())
            elif stat.S_ISREG(found.st_mode):
                size += found.st_size
                if size > limit_mb << 20:
                    raise BadTree(
                        f"{source} holds more than the {limit_mb} MB that a room may write: raise Limits.disk_mb"
                    )
                shutil.copy2(source / path, into / path)
    except OSError as error:
        raise BadTree(f"{str(error.filename)[:200]} can't be taken into a room: {error.strerror}") from error


def removed(top: Path) -> None:
    """Remove `top` and all below; what is left is by then nobody's fault here."""
    for words in (["rm", "-rf", str(top)], ["chmod", "-R", "u+rwX", str(top)], ["rm", "-rf", str(top)]):
        if not os.path.lexists(top):
            break
        subprocess.run(words, stderr=subprocess.DEVNULL, check=False)
