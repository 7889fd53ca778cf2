"""Which events the log has acknowledged lately: hashes of ids and contents, bounded by age and number.

A convenience, never the judge: staging decides what is a copy. It forgets at any fault, and holds nothing that was not
acknowledged, so that it can't cost an event. It survives a restart; of text it keeps nothing.
"""

import logging
import sqlite3
import time
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from ingest.durable import make_folder

TABLES = """
create table if not exists log (identity text not null);
create table if not exists seen (id blob primary key, content blob not null, at integer not null) without rowid;
create index if not exists seen_at on seen (at)
"""
SWEEP_EVERY = 20_000
"""Marks between two looks for what is too old or too many."""

_logger = logging.getLogger("flywheel.collector")


def id_hash(source: str, id_: str) -> bytes:
    """16 bytes that stand for (source, id)."""
    return blake2b(f"{len(source)}:{source}{id_}".encode(), digest_size=16).digest()


class Seen:
    """What is remembered. `find` from one thread, `mark` from another."""

    def __init__(self, path: Path, log_identity: str, most: int, seconds: float) -> None:
        self._path = path
        self._most = most
        self._seconds = int(seconds)
        self._marks = 0
        self._lock = Lock()
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None
        for last_try in (False, True):
            try:
                self._open(log_identity)
                break
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                if not last_try:
                    for suffix in ("", "-wal", "-shm"):
                        path.with_name(path.name + suffix).unlink(missing_ok=True)

    def find(self, id_: bytes) -> bytes | None:
        """The content hash of the event with this `id_hash`; None where nobody knows."""
        if (reading := self._reading) is None:
            return None
        try:
            row = reading.execute("select content, at from seen where id = ?", (id_,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return bytes(row[0]) if row and row[1] >= time.time() - self._seconds else None

    def mark(self, events: Iterable[tuple[bytes, bytes]]) -> None:
        """Remember (id hash, content hash) of events that the log has acknowledged. The first content stays."""
        with self._lock:
            if self._writing is None:
                return
            now = int(time.time())
            try:
                with self._writing:
                    before = self._writing.total_changes
                    self._writing.executemany(
                        "insert into seen values (?, ?, ?) on conflict (id) do update set at = excluded.at"
                        " where at < excluded.at - 60",
                        [(id_, content, now) for id_, content in events],
                    )
                    self._marks += self._writing.total_changes - before
                    if self._marks >= SWEEP_EVERY:
                        self._marks = 0
                        self._sweep(self._writing, now)
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            for connection in (self._reading, self._writing):
                if connection:
                    connection.close()
            self._reading = self._writing = None

    def _open(self, log_identity: str) -> None:
        make_folder(self._path.parent)
        self._writing = self._connected()
        for statement in TABLES.split(";"):
            self._writing.execute(statement)
        with self._writing:
            known = self._writing.execute("select identity from log").fetchall()
            if known != [(log_identity,)]:  # of another log: what that has, this one may not have
                self._writing.execute("delete from seen")
                self._writing.execute("delete from log")
                self._writing.execute("insert into log values (?)", (log_identity,))
        self._reading = self._connected()

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=2.0, check_same_thread=False)
        connection.execute("pragma journal_mode = wal").fetchone()
        connection.execute("pragma synchronous = normal")
        return connection

    def _sweep(self, connection: sqlite3.Connection, now: int) -> None:
        connection.execute("delete from seen where at < ?", (now - self._seconds,))
        (count,) = connection.execute("select count(*) from seen").fetchone()
        if count > self._most:
            connection.execute(
                "delete from seen where id in (select id from seen order by at limit ?)", (count - self._most,)
            )

    def _give_up(self, error: Exception) -> None:
        # Not closed: the other thread may be in the middle of a query.
        self._reading = self._writing = None
        _logger.warning("%s can't be used (%s): copies are told apart by the warehouse alone", self._path, error)
