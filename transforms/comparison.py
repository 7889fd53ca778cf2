"""Two published warehouses side by side, table by table. Nothing is read into Python but counts and one example.

Used to show that a replay gives the same marts, and by tests that say so of everything else.
"""

from collections.abc import Sequence
from typing import NamedTuple

import duckdb

from ingest.home import Home
from models.errors import TerminalError

MARTS = ("fct_", "dim_", "sync_", "stg_quarantine")
"""Beginnings of the names that people read."""

OF_THE_CLOCK = frozenset(
    [
        "received_at",
        "happened_at",
        "first_seen",
        "last_seen",
        "queued_at",
        "updated_at",
        "issued_at",
        "completed_at",
        "registered_at",
        "day",
        "seconds",
        "epoch",
        "owner",
        "attempts",
        "attempts_left",
        "step",
        "phase",
        "lease_until",
        "log_offset",
        "log_partition",
        "admitted",
    ]
)
"""Columns that say when, where or by whom, and so differ between two logs that hold the same facts."""


class Compared(NamedTuple):
    """One table of both."""

    table: str
    left: int | None
    right: int | None
    """Rows; None where it is not there."""
    only_left: int
    only_right: int
    """Rows that the other side doesn't have, or has less often."""

    @property
    def equal(self) -> bool:
        """Whether both have the table, with the same rows."""
        return self.left is not None and self.right is not None and not self.only_left and not self.only_right


def compare(
    left: Home, right: Home, *, tables: Sequence[str] = MARTS, without: frozenset[str] = frozenset()
) -> list[Compared]:
    """Every table whose name begins with one of `tables`, by all columns but those in `without`.

    Raises TerminalError where one of the homes has no build.
    """
    with duckdb.connect() as both:
        both.execute("set TimeZone = 'UTC'")
        for name, home in (("l", left), ("r", right)):
            if not home.warehouse.exists():
                raise TerminalError(f"home {home.path} has no build: flywheel build --home {home.path}")
            file = str(home.warehouse.resolve()).replace("'", "''")
            both.execute(f"attach '{file}' as {name} (read_only)")
        there = {side: _tables(both, side, tables) for side in ("l", "r")}
        return [
            _compare(both, table, there["l"].get(table), there["r"].get(table), without)
            for table in sorted(there["l"].keys() | there["r"].keys())
        ]


def _tables(both: duckdb.DuckDBPyConnection, side: str, prefixes: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, column in both.execute(
        "select table_name, column_name from information_schema.columns "
        "where table_catalog = ? and table_schema = 'main' order by table_name, column_name",
        [side],
    ).fetchall():
        if table.startswith(tuple(prefixes)):
            found.setdefault(table, []).append(column)
    return found


def _compare(
    both: duckdb.DuckDBPyConnection,
    table: str,
    left: list[str] | None,
    right: list[str] | None,
    without: frozenset[str],
) -> Compared:
    rows = [
        None if columns is None else int(both.execute(f'select count(*) from {side}."{table}"').fetchall()[0][0])
        for side, columns in (("l", left), ("r", right))
    ]
    if left is None or right is None or left != right:
        return Compared(table, rows[0], rows[1], rows[0] or 0, rows[1] or 0)
    listed = ", ".join(f'"{column}"' for column in left if column not in without)
    only = [
        int(
            both.execute(
                f'select count(*) from (select {listed} from {one}."{table}" except all '
                f'select {listed} from {other}."{table}")'
            ).fetchall()[0][0]
        )
        for one, other in (("l", "r"), ("r", "l"))
    ]
    return Compared(table, rows[0], rows[1], *only)
