"""Reading the published warehouse: a connection per query, read-only, so that every query sees one whole generation."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb

from ingest.home import Home
from models.errors import FlywheelError, TransientError

TRIES = 5
WAIT_S = 0.05


class Result(NamedTuple):
    """A query's answer."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(home: Home, sql: str, parameters: Sequence[object] = ()) -> Result:
    """Run `sql` on the newest published build, times in UTC whatever the machine's zone.

    A build that was removed while it was being opened is tried again, a few times. Raises FlywheelError before the
    first build, and with DuckDB's first line where the query is wrong.
    """
    for attempt in range(TRIES):
        try:
            # Resolved first: DuckDB keys its open files by name, and the link's name stays when the build changes.
            file = home.warehouse.resolve(strict=True)
        except FileNotFoundError:
            raise FlywheelError(
                f"no build yet in {home.path}: run flywheel sink --once && flywheel build, with the same --home"
            ) from None
        try:
            with duckdb.connect(file, read_only=True) as connection:
                connection.execute("set TimeZone = 'UTC'")
                return _ask(connection, sql, parameters)
        except duckdb.IOException as error:
            if attempt == TRIES - 1:
                raise TransientError(f"{file} can't be read: {_first_line(error)}: try again") from error
            time.sleep(WAIT_S * 2**attempt)
    raise AssertionError("unreachable")


def _ask(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object]) -> Result:
    try:
        cursor = connection.execute(sql, list(parameters) or None)
        rows = cursor.fetchall()
    except duckdb.IOException:
        raise
    except duckdb.Error as error:
        raise FlywheelError(f"the query failed: {_first_line(error)}") from error
    return Result([column[0] for column in cursor.description or []], rows)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
