"""The published tables as plain rows, to compare two warehouses."""

from pathlib import Path
from typing import Any

import duckdb

from transforms.comparison import MARTS, OF_THE_CLOCK


def tables(home: Path) -> list[str]:
    """Names of all models of the published build."""
    with duckdb.connect(str((home / "warehouse.duckdb").resolve()), read_only=True) as warehouse:
        names = warehouse.sql(
            "select table_name from information_schema.tables where table_schema = 'main'"
            " and regexp_matches(table_name, '^(base|stg|int|fct|dim|sync)_') order by 1"
        ).fetchall()
    return [name for (name,) in names]


def dump(home: Path, *, portable: bool = False, only: tuple[str, ...] = ()) -> dict[str, list[tuple[object, ...]]]:
    """Every table's rows, sorted. `portable`: without the columns that differ between two logs with the same facts."""
    dumped: dict[str, list[tuple[object, ...]]] = {}
    names = only or tables(home)
    with duckdb.connect(str((home / "warehouse.duckdb").resolve()), read_only=True) as warehouse:
        warehouse.execute("set timezone = 'UTC'")
        for name in names:
            columns = [column[0] for column in warehouse.execute(f"describe {name}").fetchall()]
            kept = [column for column in columns if not portable or column not in OF_THE_CLOCK]
            rows = warehouse.execute(f"select {', '.join(kept)} from {name}").fetchall()
            dumped[name] = sorted(rows, key=repr)
    return dumped


def differences(
    left: dict[str, list[tuple[object, ...]]], right: dict[str, list[tuple[object, ...]]]
) -> dict[str, str]:
    """Table -> what differs, in short; empty if they are equal."""
    found = dict.fromkeys(left.keys() ^ right.keys(), "in one only")
    for name in left.keys() & right.keys():
        if left[name] != right[name]:
            lost = [row for row in left[name] if row not in set(right[name])][:2]
            new = [row for row in right[name] if row not in set(left[name])][:2]
            found[name] = f"{len(left[name])} against {len(right[name])} rows; only left {lost}; only right {new}"
    return found


def rows(home: Path, statement: str) -> list[tuple[Any, ...]]:
    """What a query of the published build gives."""
    with duckdb.connect(str((home / "warehouse.duckdb").resolve()), read_only=True) as warehouse:
        warehouse.execute("set timezone = 'UTC'")
        return warehouse.sql(statement).fetchall()


def count(home: Path, statement: str) -> int:
    """The one number that a query gives."""
    return int(rows(home, statement)[0][0])


def portable(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table that users read, and the quarantine, as far as another log with the same facts gives them too."""
    return dump(home, portable=True, only=tuple(name for name in tables(home) if name.startswith(MARTS)))
