"""Which events the log has acknowledged lately: hashes of ids and contents, bounded by number and age.

A convenience, never the judge: staging decides what is a copy. It holds nothing that was not acknowledged and forgets
at any fault, so that it can't cost an event. It lives in memory and is written behind, unsynced, to survive a restart.
Of text it keeps nothing.

Two files of 24-byte entries: the one that grows, and the one before it. When the first is half of what may be
remembered, or half as old as anything may be, it takes the place of the second.
"""

import logging
import os
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from ingest.durable import make_folder

HEAD = struct.Struct("<16sd")
"""What a file knows about, and when it was begun (Unix time)."""
ID_BYTES, ENTRY_BYTES = 16, 24
CURRENT, PREVIOUS = "seen.current", "seen.previous"

_logger = logging.getLogger("flywheel.collector")


def id_hash(source: str, id_: str) -> bytes:
    """16 bytes that stand for (source, id)."""
    return blake2b(f"{len(source)}:{source}{id_}".encode(), digest_size=ID_BYTES).digest()


class Seen:
    """What is remembered. `find` may be called from one thread while another marks."""

    def __init__(
        self, folder: Path, of: str, most: int, seconds: float, clock: Callable[[], float] = time.time
    ) -> None:
        """`of` names a log: what files in `folder` know about another is forgotten."""
        self._folder = folder
        self._of = blake2b(of.encode(), digest_size=16).digest()
        self._most = max(1, most // 2)
        self._seconds = seconds / 2
        self._clock = clock
        self._file: int | None = None
        self._begun, self._current = self._read(CURRENT)
        _, self._previous = self._read(PREVIOUS)
        self._writing(self._continue)

    def find(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Id hash -> content hash (8 bytes), of those that are known."""
        current, previous = self._current, self._previous
        found: dict[bytes, bytes] = {}
        for id_ in ids:
            if (content := current.get(id_) or previous.get(id_)) is not None:
                found[id_] = content
        return found

    def mark(self, events: Iterable[tuple[bytes, bytes]]) -> None:
        """Remember (id hash, content hash) of events that the log has acknowledged."""
        new = list(events)
        if len(self._current) >= self._most or self._clock() - self._begun > self._seconds:
            self._turn()
        self._current.update(new)
        content = b"".join([part for pair in new for part in pair])
        self._writing(lambda: self._write(content))

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _turn(self) -> None:
        self._previous, self._current, self._begun = self._current, {}, self._clock()
        self.close()
        self._writing(lambda: (self._folder / CURRENT).replace(self._folder / PREVIOUS))
        self._writing(self._continue)

    def _read(self, name: str) -> tuple[float, dict[bytes, bytes]]:
        """When the file was begun and what it holds; nothing where it is not of this log, or too old."""
        with suppress(OSError, struct.error):
            content = (self._folder / name).read_bytes()
            of, begun = HEAD.unpack_from(content)
            age = self._clock() - begun
            if of == self._of and 0 <= age <= 2 * self._seconds:
                whole = range(HEAD.size, len(content) - ENTRY_BYTES + 1, ENTRY_BYTES)
                return begun, {content[at : at + ID_BYTES]: content[at + ID_BYTES : at + ENTRY_BYTES] for at in whole}
        return self._clock(), {}

    def _continue(self) -> None:
        """Write what is remembered anew, whole: whatever a killed writer left at the end of the file is gone."""
        make_folder(self._folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self._folder / CURRENT, flags, 0o666)
        entries = b"".join([part for pair in self._current.items() for part in pair])
        self._write(HEAD.pack(self._of, self._begun) + entries)

    def _write(self, content: bytes) -> None:
        if self._file is not None and os.write(self._file, content) != len(content):
            raise OSError("the disk is full")

    def _writing(self, step: Callable[[], object]) -> None:
        """`step`; where it fails only memory remembers."""
        try:
            step()
        except OSError as error:
            _logger.warning("%s can't be written (%s): a restart forgets which events were seen", self._folder, error)
            self.close()
