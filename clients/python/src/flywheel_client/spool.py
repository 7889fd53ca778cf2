"""Events that wait on disk: a folder a process, with segments of JSON lines, and a lock that dies with its owner.

An event is written before `append` returns, so that it survives the process being killed; `sync` makes it survive a
power cut. A segment is removed once all of it is settled; after a crash its events are sent again, with the same ids.
Folders whose owner has died are taken over. Left out: systems without `flock`, where there is no spool.
"""

import os
import shutil
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

LOCK = "lock"
SEGMENT = ".ndjson"
NEW = ".new-"
TIME_TO_MAKE = 60.0
"""Seconds after which a folder that has not got its name was left by a process that was killed."""

SEGMENTS_IN_BOUND = 16
"""A spool that is full drops a segment at a time: a sixteenth of it."""


class Segment:
    """A file of events, in the order they came."""

    def __init__(self, path: Path, size: int, events: int) -> None:
        self.path = path
        self.size = size
        self.events = events
        self.read = 0
        """Bytes that are settled."""
        self.settled = 0
        """Events that are settled."""


class Spool:
    """A bounded queue on disk. Not safe between threads: its owner holds a lock. Raises OSError where disks fail."""

    def __init__(self, place: Path, bound: int) -> None:
        self._place = place
        self._bound = bound
        self._segments: deque[Segment] = deque()
        self._folder: Path | None = None
        self._lock: int | None = None
        self._writer: int | None = None
        self._number = 0
        self._taken = (0, 0)
        self._unsynced: set[Path] = set()
        self.entered = 0
        self.left = 0

    @property
    def waiting(self) -> int:
        """How many events are in it, those that were taken and are not done included."""
        return self.entered - self.left

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(segment.size for segment in self._segments)

    def append(self, line: bytes) -> int:
        """Write `line`, and return the number of older events that were dropped to make room."""
        if len(line) + 1 > self._bound:
            raise OSError(f"an event of {len(line):,} bytes is larger than the spool ({self._bound:,})")
        dropped = self._make_room(len(line) + 1)
        if self._writer is None or self._segments[-1].size + len(line) > self._bound // SEGMENTS_IN_BOUND:
            self._begin()
        assert self._writer is not None
        segment = self._segments[-1]
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._writer, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._writer, segment.size)  # a full disk leaves no half event
            raise
        segment.size += len(line) + 1
        segment.events += 1
        self.entered += 1
        self._unsynced.add(segment.path)
        return dropped

    def take(self, events: int, size: int) -> list[bytes]:
        """The oldest events, at most `events` and `size` bytes, but one at least. They stay until `done`."""
        if not self._segments:
            return []
        segment, batch, length = self._segments[0], list[bytes](), 0
        with segment.path.open("rb") as file:
            file.seek(segment.read)
            while len(batch) < events and segment.read + length < segment.size:
                line = file.readline()
                if batch and length + len(line) > size:
                    break
                batch.append(line.rstrip(b"\n"))
                length += len(line)
        self._taken = length, len(batch)
        return batch

    def done(self) -> None:
        """What was taken is settled."""
        length, events = self._taken
        self._taken = 0, 0
        segment = self._segments[0]
        segment.read += length
        segment.settled += events
        self.left += events
        if segment.read >= segment.size:
            self._remove(0)

    def lose(self) -> int:
        """Give up the oldest segment, which can't be read any more: how many events that costs."""
        lost = self._segments[0].events - self._segments[0].settled
        self._remove(0)
        self._taken = 0, 0
        self.left += lost
        return lost

    def unsynced(self) -> list[Path]:
        """What was written since the last call, for `sync`: the segments, and the folders that name them."""
        if not self._unsynced or self._folder is None:
            return []
        paths, self._unsynced = [*self._unsynced, self._folder, self._place], set()
        return paths

    def adopt(self) -> int:
        """Take over what processes that have died left at this place: how many events that is.

        It goes to the end of the queue. A line that its writer was killed in is no event, and goes.
        """
        found = 0
        for folder in sorted(self._place.iterdir()) if self._place.is_dir() else []:
            if folder == self._folder or not folder.is_dir() or _is_being_made(folder):
                continue
            if (handle := _try_lock(folder / LOCK)) is not None:
                try:
                    for path in sorted(folder.glob(f"*{SEGMENT}")):
                        found += self._take_over(path)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(handle)
        return found

    def close(self) -> None:
        """Leave what is in it to the next start."""
        if self.waiting == 0:
            while self._segments:
                self._remove(0)
        with suppress(OSError):
            sync(self.unsynced())
        if self._folder is not None and not self._segments:
            shutil.rmtree(self._folder, ignore_errors=True)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the files, and touch nothing: what a forked child does with its parent's spool."""
        for handle in (self._writer, self._lock):
            if handle is not None:
                os.close(handle)
        self._writer = self._lock = self._folder = None
        self._segments.clear()

    def _make_room(self, length: int) -> int:
        dropped = 0
        while self._segments and self.size + length > self._bound:
            oldest = 1 if self._taken[1] else 0  # the first is on its way to the collector
            if oldest >= len(self._segments):
                raise OSError(f"the spool is full ({self._bound:,} bytes), and all of it is on its way")
            gone = self._segments[oldest].events - self._segments[oldest].settled
            self._remove(oldest)
            self.left += gone
            dropped += gone
        return dropped

    def _remove(self, place: int) -> None:
        segment = self._segments[place]
        if place == len(self._segments) - 1 and self._writer is not None:
            os.close(self._writer)
            self._writer = None
        del self._segments[place]
        with suppress(FileNotFoundError):
            segment.path.unlink()

    def _begin(self) -> None:
        """A new segment, which is the one that is written to."""
        path = self._next_path()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._end_segment()
        self._writer = handle
        self._segments.append(Segment(path, 0, 0))

    def _end_segment(self) -> None:
        if self._writer is not None:
            os.close(self._writer)
            self._writer = None

    def _take_over(self, path: Path) -> int:
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        events = whole.count(b"\n")
        if events == 0:
            return 0
        if len(whole) < len(content):
            os.truncate(path, len(whole))
        ours = self._next_path()
        path.rename(ours)
        self._end_segment()  # the last one would no longer be the one that is written to
        self._segments.append(Segment(ours, len(whole), events))
        self.entered += events
        return events

    def _next_path(self) -> Path:
        if self._folder is None:
            self._folder, self._lock = _claim(self._place)
        self._number += 1
        return self._folder / f"{self._number:08d}{SEGMENT}"


def sync(paths: list[Path]) -> None:
    """Make `paths` survive a power cut, as far as they are still there. Slow: done while the collector is away."""
    for path in paths:
        with suppress(FileNotFoundError):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _claim(place: Path) -> tuple[Path, int]:
    """A folder of our own and the handle that locks it: before it has its name, so that nobody adopts it."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = uuid4().hex
    folder = place / f"{NEW}{name}"
    folder.mkdir(mode=0o700)
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    if not _lock(handle):
        raise OSError(f"{folder / LOCK} can't be locked")
    return folder.rename(place / name), handle


def _is_being_made(folder: Path) -> bool:
    with suppress(FileNotFoundError):
        return folder.name.startswith(NEW) and time.time() - folder.stat().st_mtime < TIME_TO_MAKE
    return True


def _try_lock(path: Path) -> int | None:
    """A handle that holds the lock in `path`; None while its owner lives, or where there is none."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return None
    if _lock(handle):
        return handle
    os.close(handle)
    return None


if sys.platform == "win32":

    def _lock(handle: int) -> bool:
        raise OSError("this system has no flock, by which a spool's owner is known to live")

else:
    import fcntl

    def _lock(handle: int) -> bool:
        """Whether the lock is now ours. It is freed by the system when the process ends, however it ends."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
