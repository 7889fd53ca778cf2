"""Reading the published warehouse: a connection is read-only and sees one whole generation, however many it is asked.

Left out: building and publishing. Nothing here writes, neither to the file nor, by what SQL can do, beside it.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple, Protocol

import duckdb

from ingest import reading_only
from ingest.home import Home
from models.errors import FlywheelError, TransientError

TRIES = 5
WAIT_S = 0.05
FILE_TRIES = 8
"""Of a query over files of the lake. DuckDB opens a file for its columns and again for its rows: one that an erasure
replaces in between can't be read, and can the next time."""


class TooSlow(FlywheelError):
    """A question that was given up, since it took too long."""


class Result(NamedTuple):
    """A query's answer."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


class Ask(Protocol):
    """Questions to one generation."""

    def __call__(self, sql: str, parameters: Sequence[object] = (), /) -> Result:
        """The answer, times in UTC whatever the machine's zone. Raises FlywheelError, with what DuckDB says where
        the query is wrong, and for SQL that does more than read."""
        ...


@contextmanager
def reading(
    home: Home, *, within: float | None = None, pause: Callable[[float], object] = time.sleep
) -> Generator[Ask]:
    """The newest published build, open until the block ends: every question in it is answered from that generation.

    A build that was removed while it was being opened is tried again, a few times, after `pause` of some seconds.
    A question that takes more than `within` seconds raises TooSlow.
    Raises FlywheelError before the first build, TransientError where the build can't be opened.
    """
    with _connect(home, pause) as connection:

        def ask(sql: str, parameters: Sequence[object] = (), /) -> Result:
            reading_only.check(sql)
            for attempt in range(FILE_TRIES):
                try:
                    with _interrupting(connection, within):
                        cursor = connection.execute(sql, list(parameters) or None)
                        return Result([column[0] for column in cursor.description or []], cursor.fetchall())
                except duckdb.InterruptException as error:
                    raise TooSlow(f"the question took over {within:g} s: ask for less") from error
                except duckdb.Error as error:
                    if attempt + 1 == FILE_TRIES or not _is_about_a_file(error):
                        raise FlywheelError(f"the query failed: {_said(error)}") from error
                    pause(WAIT_S * 2**attempt)
            raise AssertionError("the last try returns or raises")

        yield ask


def query(home: Home, sql: str, parameters: Sequence[object] = ()) -> Result:
    """One question to the newest published build. For several that must agree: `reading`, which has the errors too."""
    with reading(home) as ask:
        return ask(sql, parameters)


def _connect(home: Home, pause: Callable[[float], object]) -> duckdb.DuckDBPyConnection:
    fault = ""
    for attempt in range(TRIES):
        if attempt:
            pause(WAIT_S * 2 ** (attempt - 1))
        if not os.path.lexists(home.warehouse):
            raise FlywheelError(
                f"no build yet in {home.path}: run flywheel sink --once && flywheel build, with the same --home"
            )
        try:
            # Resolved first: DuckDB keys its open files by name, and the link's name stays when the build changes.
            return _open(home.warehouse.resolve(strict=True))
        except OSError as error:
            fault = f"{home.warehouse} points at {error.filename}: {error.strerror}"
        except duckdb.IOException as error:
            fault = f"{home.warehouse} can't be read: {_said(error)}"
    raise TransientError(f"{fault}: try again, and if it stays so, flywheel build makes another")


def _open(file: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(file, read_only=True)
    # Refused where another thread has the file open: it has set and locked the same, for all connections to it.
    with suppress(duckdb.InvalidInputException):
        connection.execute("set global TimeZone = 'UTC'")
        connection.execute("set lock_configuration = true")
    return connection


@contextmanager
def _interrupting(connection: duckdb.DuckDBPyConnection, within: float | None) -> Generator[None]:
    """End what the connection does once `within` seconds are over; None: let it be."""
    if within is None:
        yield
        return
    timer = Timer(within, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_about_a_file(error: duckdb.Error) -> bool:
    """Whether a query may have failed for a file that was replaced or removed beneath it, and not for itself."""
    return type(error) is duckdb.Error or isinstance(error, duckdb.IOException) or ".parquet" in str(error)


def _said(error: Exception) -> str:
    """What DuckDB says, with what it thinks was meant, on one line; without the picture of the query."""
    lines = iter(str(error).splitlines())
    said = [next(lines, "")]
    for line in lines:
        if line.startswith("LINE "):
            break
        said.append(line.strip())
    return " ".join(line for line in said if line)
