"""The lake as SQL readers see it: one query text per topic, every column listed and of its type.

For DuckDB. It opens nothing: the published file's `raw` views and dbt's sources hold this text.
"""

import polars as pl

from ingest.home import Home
from ingest.lake.columns import Type, schema

SQL_TYPES: dict[Type, str] = {
    pl.String(): "VARCHAR",
    pl.Binary(): "BLOB",
    pl.Boolean(): "BOOLEAN",
    pl.Int32(): "INTEGER",
    pl.Int64(): "BIGINT",
    pl.Float64(): "DOUBLE",
    pl.Datetime("us", "UTC"): "TIMESTAMP WITH TIME ZONE",
}

CONTENT = {"canonical": "case when error is null then coalesce(canonical, decode(raw)) end"}
"""Columns that readers see filled: bytes that are the canonical form already are kept once, as `raw`."""


def lake_relation(home: Home, topic: str) -> str:
    """A `select` over every segment of `topic`: one row per log record, columns and types of `schema(topic)`.

    A column that a segment was written without is NULL. Files are united by name, since DuckDB would else take the
    columns of the first; `ensure_empty(home, topic)` must have been called once, since it refuses a pattern over no
    files. The path is absolute: a view is read from any folder.
    """
    columns = ", ".join(
        f'cast({CONTENT.get(name, name)} as {SQL_TYPES[kind]}) as "{name}"'  # a column may have been narrower once
        for name, kind in schema(topic).items()
    )
    pattern = f"{_literal(str(home.lake.absolute() / topic))}/*/*.parquet"
    return f"select {columns} from read_parquet('{pattern}', union_by_name = true, hive_partitioning = false)"


def _literal(path: str) -> str:
    """`path` inside a quoted SQL pattern, meaning itself: a folder called `a[1]` is no pattern."""
    for letter in "[*?":
        path = path.replace(letter, f"\0{letter}]")
    return path.replace("\0", "[").replace("'", "''")
