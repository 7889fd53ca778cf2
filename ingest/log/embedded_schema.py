"""The file of the embedded log: its tables, how it is opened, and what a person reads when SQLite refuses.

Tables: `log` (one row), `topics`, `partitions` (the head of each, which outlives records that are removed), `records`.
"""

import logging
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from models.errors import FlywheelError, TerminalError, TransientError

logger = logging.getLogger(__name__)

VERSION = 1
APPLICATION = 0x466C7957  # "FlyW": tells our file from any other SQLite database

TABLES = f"""
create table log (identity text not null);
create table topics (topic text primary key, id text not null) without rowid;
create table partitions (
    id integer primary key,
    topic text not null references topics (topic),
    partition integer not null,
    next_offset integer not null default 0,
    last_append_us integer not null default 0,
    unique (topic, partition)
);
create table records (
    partition_id integer not null references partitions (id),
    "offset" integer not null,
    key blob not null,
    value blob not null,
    headers text,
    appended_us integer not null,
    unique (partition_id, "offset")
);
pragma application_id = {APPLICATION};
pragma user_version = {VERSION};
"""


def open_database(path: Path, lock_timeout: float) -> sqlite3.Connection:
    """A connection to the log at `path`, which is made if it is not there. In autocommit; for one thread at a time.

    A writer waits up to `lock_timeout` seconds for its turn. Raises `sqlite3.Error` (see `fault`), and
    `TerminalError` where the file is not a log, or a newer version's.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TerminalError(
            f"The log's folder {path.parent} can't be made ({error.strerror}). Choose another home with --home."
        ) from error
    if path.is_dir():
        raise TerminalError(
            f"The log {path} is a directory, and should be a file. Move it away, or choose another home."
        )
    connection = sqlite3.connect(path, timeout=lock_timeout, isolation_level=None, check_same_thread=False)
    try:
        _use_wal(connection, lock_timeout)
        connection.execute("pragma synchronous = full")
        _check_version(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def mend_wal(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the write-ahead log ends within a write, as a full disk leaves it. It is folded into the file then.

    SQLite takes what stands whole before that and says nothing of the rest, so this does.
    """
    wal = path.with_name(f"{path.name}-wal")
    if not _ends_within_a_write(wal):
        return False
    connection.execute("begin immediate")
    torn = _ends_within_a_write(wal)  # asked again where nobody else is in the middle of a write
    connection.execute("rollback")
    if torn:
        logger.warning(
            "%s ends in the middle of a write, as a full disk or a crash leaves it. Everything before that is kept. "
            "What was sent last, shortly before %s, may be lost: send it again, what is there counts once.",
            wal, datetime.fromtimestamp(wal.stat().st_mtime, UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    return torn


def _ends_within_a_write(wal: Path) -> bool:
    """By the sizes of SQLite's file format: a header of 32 bytes, then frames of 24 bytes and a page each."""
    try:
        with wal.open("rb") as file:
            header = file.read(32)
        size = wal.stat().st_size
    except FileNotFoundError:
        return False
    if size < 32:
        return size > 0
    page = int.from_bytes(header[8:12], "big")
    return (size - 32) % (24 + page) != 0


def _use_wal(connection: sqlite3.Connection, lock_timeout: float) -> None:
    """Switch to WAL. SQLite does not wait for the lock that the first switch needs, so wait here."""
    deadline = time.monotonic() + lock_timeout
    while True:
        try:
            connection.execute("pragma journal_mode = wal").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    application, version = _stamp(connection)
    if (application, version) == (0, 0):
        connection.execute("begin immediate")
        application, version = _stamp(connection)  # another program may have made the tables since
        (tables,) = connection.execute("select count(*) from sqlite_schema").fetchone()
        if (application, version, tables) == (0, 0, 0):
            for statement in TABLES.split(";"):
                connection.execute(statement)
            connection.execute("insert into log (identity) values (?)", (str(uuid4()),))
            application, version = APPLICATION, VERSION
        connection.execute("commit")
    if application != APPLICATION:
        raise TerminalError(f"{path} is a database, but not an event log. Move it away, or choose another home.")
    if version > VERSION:
        raise TerminalError(
            f"The log {path} has version {version}, and this Flywheel knows up to {VERSION}. Use a newer Flywheel."
        )


def _stamp(connection: sqlite3.Connection) -> tuple[int, int]:
    (application,) = connection.execute("pragma application_id").fetchone()
    (version,) = connection.execute("pragma user_version").fetchone()
    return int(application), int(version)


def fault(path: Path, error: sqlite3.Error) -> FlywheelError:
    """What SQLite refused, as a line that names the file and the way out."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return TransientError(f"The disk that holds {path} is full. Nothing was written; make room and try again.")
    if code == sqlite3.SQLITE_IOERR:
        return TransientError(
            f"The disk that holds {path} failed or is full ({error}). Nothing was written; make room, check the disk."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return TransientError(
            f"The log {path} was held by another program for too long. Nothing was written; try again."
        )
    if code == sqlite3.SQLITE_READONLY:
        return TerminalError(f"The log {path} is read-only. Make it and its folder writable, or choose another home.")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return TerminalError(
            f"The log {path} can't be opened ({error}). Make its folder writable for you, or choose another home."
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return TerminalError(f"{path} is damaged or no event log ({error}). Move it away, or restore it from a copy.")
    return FlywheelError(f"The log {path} failed: {error}.")
