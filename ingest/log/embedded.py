"""The event log as one SQLite file on a local disk: no broker, several programs at once, safe against kill -9.

Left out: retention (erasing empties records, nothing removes them) and network file systems, where SQLite's locks can't
be trusted. Readers never wait for a writer (WAL); writers take turns (`BEGIN IMMEDIATE`; a deferred transaction that
reads first would lose its entries to "database is locked").
"""

import base64
import json
import os
import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, cast
from uuid import uuid4

from ingest.log.base import (
    READ_BYTES,
    Batch,
    Columns,
    Entry,
    Headers,
    Position,
    check_entry,
    check_topic,
    partition_count,
)
from ingest.log.embedded_erase import Replacement, replace_records, scrub
from ingest.log.embedded_schema import fault, mend_wal, open_database
from ingest.log.partitioner import partition_of
from models.errors import FlywheelError, TerminalError

LOCK_TIMEOUT = 30.0  # seconds that a writer waits for its turn
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.1  # seconds between two looks while a reader waits


class EmbeddedLog:
    """See `EventLog`. One `append` is one transaction: it is in the log as a whole or not at all."""

    def __init__(self, path: Path, lock_timeout: float = LOCK_TIMEOUT) -> None:
        """Open the log at `path`, making it if it is not there. `TerminalError` if what is there can't be one."""
        self.path = path
        self._lock_timeout = lock_timeout
        self._owner = os.getpid()
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._identity = ""
        with self._connection() as connection:
            (self._identity,) = connection.execute("select identity from log").fetchone()
            self.was_cut_short = mend_wal(connection, path)
            """Whether its newest entries may be lost: its write-ahead log ended within a write."""

    def append(self, entries: Sequence[Entry]) -> list[Position]:
        """See `EventLog`. A disk that is full, or a lock held too long, leaves nothing of `entries` in the log."""
        keyed = [(entry, check_entry(entry)) for entry in entries]
        if not keyed:
            return []
        with self._connection() as connection:
            connection.execute("begin immediate")
            try:
                positions = _append(connection, keyed)
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
        return positions

    def read(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000, wait: float = 0.0) -> Batch:
        """See `EventLog`. Removed records are gaps, so offset 0 can always be read from."""
        check_topic(topic)
        deadline = time.monotonic() + wait
        pause = FIRST_PAUSE
        while True:
            with self._connection() as connection:
                columns = _read(connection, topic, partition, offset, max_records)
            left = deadline - time.monotonic()
            if columns.offsets or left <= 0:
                return columns.batch(topic, partition)
            time.sleep(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)

    def read_columns(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Columns:
        """See `EventLog`."""
        check_topic(topic)
        with self._connection() as connection:
            return _read(connection, topic, partition, offset, max_records)

    def end_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`."""
        check_topic(topic)
        with self._connection() as connection:
            rows = connection.execute("select partition, next_offset from partitions where topic = ?", (topic,))
            return {int(partition): int(end) for partition, end in rows}

    def begin_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`."""
        check_topic(topic)
        with self._connection() as connection:
            rows = connection.execute(
                'select partition, coalesce((select min("offset") from records where partition_id = id), next_offset)'
                " from partitions where topic = ?",
                (topic,),
            )
            return {int(partition): int(begin) for partition, begin in rows}

    def topics(self) -> list[str]:
        """See `EventLog`."""
        with self._connection() as connection:
            return [str(name) for (name,) in connection.execute("select topic from topics order by topic")]

    def topic_id(self, topic: str) -> str:
        """See `EventLog`: a uuid made with the topic."""
        check_topic(topic)
        with self._connection() as connection:
            row = connection.execute("select id from topics where topic = ?", (topic,)).fetchone()
        if row is None:
            raise TerminalError(f"The log {self.path} has no topic {topic!r}; it is created by the first entry.")
        return str(row[0])

    def identity(self) -> str:
        """See `EventLog`: a uuid made with the file."""
        return self._identity

    def pass_over(self, topic: str, partition: int, offset: int) -> int:
        """Give no position before `offset` again; how many were left to give. For entries that only others kept."""
        check_topic(topic)
        with self._connection() as connection:
            connection.execute("begin immediate")
            place = (topic, partition)
            row = connection.execute(
                "select next_offset from partitions where topic = ? and partition = ?", place
            ).fetchone()
            lost = max(0, offset - int(row[0])) if row else 0
            if lost:
                connection.execute(
                    "update partitions set next_offset = ? where topic = ? and partition = ?", (offset, *place)
                )
            connection.execute("commit")
        return lost

    def erase(self, replaced: Mapping[Position, Replacement]) -> int:
        """Put others in the place of the records at these positions, and scrub the file; how many there were.

        Nothing of what stood there is left on disk. Also with nothing to replace it scrubs, for who was cut short.
        """
        with self._connection() as connection:
            changed = replace_records(connection, replaced, _pack)
            scrub(connection, self.path, timeout=self._lock_timeout)
        return changed

    def close(self) -> None:
        """See `EventLog`. The last to close folds the write-ahead log into the file."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        """A connection for this thread alone, until the block ends. SQLite's faults leave as `FlywheelError`."""
        if os.getpid() != self._owner:
            raise FlywheelError(f"The log {self.path} was opened before a fork; open it again in the child.")
        with self._lock:
            if self._closed:
                raise FlywheelError(f"The log {self.path} is closed.")
            connection = self._idle.pop() if self._idle else None
        try:
            connection = connection or open_database(self.path, self._lock_timeout)
            yield connection
        except sqlite3.Error as error:
            if connection:
                connection.close()
            raise fault(self.path, error) from error
        except BaseException:
            if connection:
                connection.close()
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()


def _append(connection: sqlite3.Connection, keyed: list[tuple[Entry, bytes]]) -> list[Position]:
    """Inside a transaction that holds the write lock: write the entries, return where."""
    layouts = {topic: _layout(connection, topic) for topic in dict.fromkeys(entry.topic for entry, _ in keyed)}
    now = time.time_ns() // 1_000
    rows: list[tuple[int, int, bytes, bytes, str | None, int]] = []
    positions: list[Position] = []
    touched: dict[int, _Partition] = {}
    for entry, key in keyed:
        partitions = layouts[entry.topic]
        number = partition_of(key, len(partitions))
        at = partitions[number]
        touched[at.row] = at
        # The clock may have been set back: an entry never looks older than the one before it.
        at.last_append_us = max(at.last_append_us, now)
        rows.append((at.row, at.next_offset, key, entry.value, _pack(entry.headers), at.last_append_us))
        positions.append(Position(entry.topic, number, at.next_offset))
        at.next_offset += 1
    connection.executemany(
        'insert into records (partition_id, "offset", key, value, headers, appended_us) values (?, ?, ?, ?, ?, ?)', rows
    )
    connection.executemany(
        "update partitions set next_offset = ?, last_append_us = ? where id = ?",
        [(at.next_offset, at.last_append_us, at.row) for at in touched.values()],
    )
    return positions


class _Partition:
    """The head of a partition while a transaction moves it."""

    def __init__(self, row: int, next_offset: int, last_append_us: int) -> None:
        self.row = row
        self.next_offset = next_offset
        self.last_append_us = last_append_us


def _layout(connection: sqlite3.Connection, topic: str) -> list[_Partition]:
    """The partitions of `topic` in order, created if they are not there."""
    query = "select id, next_offset, last_append_us from partitions where topic = ? order by partition"
    if found := connection.execute(query, (topic,)).fetchall():
        return [_Partition(*row) for row in found]
    connection.execute("insert into topics (topic, id) values (?, ?)", (topic, str(uuid4())))
    connection.executemany(
        "insert into partitions (topic, partition) values (?, ?)",
        [(topic, partition) for partition in range(partition_count(topic))],
    )
    return [_Partition(*row) for row in connection.execute(query, (topic,))]


def _read(connection: sqlite3.Connection, topic: str, partition: int, offset: int, max_records: int) -> Columns:
    # The end is read before the records, so that "no record after it" can only mean a gap up to that end.
    row = connection.execute(
        "select id, next_offset from partitions where topic = ? and partition = ?", (topic, partition)
    ).fetchone()
    partition_id, end = cast("tuple[int, int]", row or (-1, 0))
    if not 0 <= offset <= end:
        raise TerminalError(
            f"Topic {topic}, partition {partition} has no offset {offset}: it ends at {end}. The position belongs to "
            "another log, or this one was replaced; start again from begin_offsets()."
        )
    cursor = connection.execute(
        'select "offset", key, value, headers, appended_us from records'
        ' where partition_id = ? and "offset" >= ? order by "offset" limit ?',
        (partition_id, offset, max_records),
    )
    found = Columns([], [], [], [], [], end)
    size = 0
    for at, key, value, headers, appended_us in cursor:
        found.offsets.append(at)
        found.appended_us.append(appended_us)
        found.keys.append(key)
        found.values.append(value)
        found.headers.append(_unpack(headers))
        size += len(value)
        if size >= READ_BYTES:
            break
    cursor.close()
    return found._replace(next_offset=found.offsets[-1] + 1 if found.offsets else end)


def _pack(headers: tuple[tuple[str, bytes], ...]) -> str | None:
    """Headers as JSON: [[name, value in base64], ...]; NULL where there are none."""
    return json.dumps([[name, base64.b64encode(value).decode()] for name, value in headers]) if headers else None


@lru_cache(maxsize=1_024)
def _unpack(packed: str | None) -> Headers:
    """Kept, since most records have the same."""
    if packed is None:
        return ()
    return tuple((str(name), base64.b64decode(value)) for name, value in cast("list[list[Any]]", json.loads(packed)))
