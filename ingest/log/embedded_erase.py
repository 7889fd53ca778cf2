"""Taking content out of the embedded log, so that not a byte of it is left in the file or beside it.

What stood at an offset is replaced, so that every position stays what it was. SQLite overwrites what it frees
(`secure_delete`); what is left of older pages goes with `vacuum`, and the write-ahead log with a checkpoint that cuts
it off.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ingest.log.base import Headers, Position
from models.errors import TransientError


class Replacement(NamedTuple):
    """What is to stand at a position."""

    value: bytes
    headers: Headers
    key: bytes | None = b""
    """None: the key that stands there stays."""


CHUNK = 5_000
PAUSE = 0.05


def replace_records(
    connection: sqlite3.Connection,
    replaced: Mapping[Position, Replacement],
    pack: Callable[[Headers], str | None],
) -> int:
    """Put each replacement in the place of what stands at its position; how many were there to replace."""
    connection.execute("pragma secure_delete = on").fetchone()
    partitions = {
        (str(topic), int(partition)): int(row)
        for row, topic, partition in connection.execute("select id, topic, partition from partitions")
    }
    known = [
        (new.value, pack(new.headers), new.key, partitions[at.topic, at.partition], at.offset)
        for at, new in replaced.items()
        if (at.topic, at.partition) in partitions
    ]
    changed = 0
    for begin in range(0, len(known), CHUNK):
        connection.execute("begin immediate")
        try:
            cursor = connection.executemany(
                "update records set value = ?, headers = ?, key = coalesce(?, key)"
                ' where partition_id = ? and "offset" = ?',
                known[begin : begin + CHUNK],
            )
            changed += cursor.rowcount
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
    return changed


def scrub(connection: sqlite3.Connection, path: Path, *, timeout: float) -> None:
    """Write the file anew without what was freed, and cut the write-ahead log off.

    Raises TransientError where readers keep it from being cut off for over `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    connection.execute("pragma secure_delete = on").fetchone()
    _cut_off(connection, path, deadline)
    connection.execute("vacuum")
    _cut_off(connection, path, deadline)


def _cut_off(connection: sqlite3.Connection, path: Path, deadline: float) -> None:
    while True:
        (busy, _, _) = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        if not busy:
            return
        if time.monotonic() > deadline:
            raise TransientError(
                f"readers keep the write-ahead log of {path} in use, so that what was erased still stands in it: try "
                "again, and end what holds the log open"
            )
        time.sleep(PAUSE)
