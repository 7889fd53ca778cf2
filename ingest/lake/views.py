"""The lake as SQL readers see it: one query text per topic, every column listed and of its type.

For DuckDB. The published file's `raw` views and dbt's sources hold this text.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from ingest.home import Home
from ingest.lake.columns import Type, schema
from ingest.lake.compacted import Compacted, Merged, compacted_folder, list_file, read_compacted
from ingest.lake.segments import SUFFIX, live_segments, partitions, start_of
from models.errors import TerminalError

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
"""Columns that readers see filled: an event that `raw` has as it is to be read is kept once."""


def lake_relation(home: Home, topic: str, compacted: Compacted | None = None) -> str:
    """A `select` over every segment of `topic`: one row per log record, columns and types of `schema(topic)`.

    It reads the files on the list `compacted` (by default the newest), and by pattern what is live from its watermarks
    on, now and later. Segments before them are told by name and never opened, so that they may go at any time; once
    those are gone that only a newer list has merged, it raises an error instead of missing rows. A column that a file
    was written without is NULL. `ensure_empty(home, topic)` must have been called once, since DuckDB refuses a pattern
    over no files. The path is absolute: a view is read from any folder.
    """
    compacted = compacted or read_compacted(home, topic)
    folder = home.lake.absolute() / topic
    live = _parquet(
        [f"{_literal(str(_empty(home, topic)))}", f"{_literal(str(folder))}/*/*.parquet"],
        united=not is_uniform(home, topic, compacted),
    )
    merged = [
        f"not (filename >= {_text(f'{folder}/{partition}/')} and filename < "
        f"{_text(f'{folder}/{partition}/{of.watermark:020d}{SUFFIX}')})"
        for partition, of in compacted.partitions.items()
    ]
    selects = [f"select {_columns(topic)} from {live} where {' and '.join(merged) or 'true'}"]
    files = [
        compacted_folder(home, topic, partition).absolute() / name
        for partition, of in compacted.partitions.items()
        for name in of.files
    ]
    if files:
        selects.append(files_relation(home, topic, files))
    # Its own branch: as a filter on the others it would be worked out for each row of them.
    nulls = ", ".join(f'cast(null as {SQL_TYPES[kind]}) as "{name}"' for name, kind in schema(topic).items())
    newest = _literal(str(list_file(home, topic).absolute()))
    selects.append(
        f"select {nulls} from read_json('{newest}', columns = {{emptied: 'BIGINT'}}) where case when emptied > "
        f"{compacted.generation} then error('the raw view of {topic} is of an old build, and the lake has been "
        "compacted since: open the newest build') else false end"
    )
    return " union all ".join(selects)


def is_uniform(home: Home, topic: str, compacted: Compacted) -> bool:
    """Whether all live segments from the watermarks on have every column of this version.

    Where they have, DuckDB need not open them all to unite their columns, nor those that are merged and may go.
    """
    return all(
        schema(topic).keys() <= _columns_in(segment)
        for partition in partitions(home, topic)
        for segment in live_segments(home, topic, partition)
        if start_of(segment) >= compacted.partitions.get(partition, Merged()).watermark
    )


@lru_cache(maxsize=100_000)
def _columns_in(segment: Path) -> frozenset[str]:
    """Kept, since a segment's columns stay, and every build asks."""
    try:
        return frozenset(pl.scan_parquet(segment, glob=False).collect_schema().names())
    except (PolarsError, OSError) as error:
        raise TerminalError(
            f"segment {segment} can't be read ({type(error).__name__}: {error}): move it away, with all that follow it "
            "in its folder, and the sink lands them again from the log"
        ) from error


def files_relation(home: Home, topic: str, files: Sequence[Path]) -> str:
    """A `select` over these files of `topic` alone; no row where there are none."""
    listed = [_literal(str(file)) for file in (_empty(home, topic), *files)]
    return f"select {_columns(topic)} from {_parquet(listed, united=True)}"


def _columns(topic: str) -> str:
    return ", ".join(
        f'cast({CONTENT.get(name, name)} as {SQL_TYPES[kind]}) as "{name}"'  # a column may have been narrower once
        for name, kind in schema(topic).items()
    )


def _parquet(patterns: Sequence[str], *, united: bool) -> str:
    """The first has every column: DuckDB takes its columns for those of all, unless it is to unite them by name."""
    listed = ", ".join(f"'{pattern}'" for pattern in patterns)
    how = f"union_by_name = {str(united).lower()}, filename = true, hive_partitioning = false"
    return f"read_parquet([{listed}], {how})"


def _empty(home: Home, topic: str) -> Path:
    return home.lake.absolute() / topic / "schema" / f"empty{SUFFIX}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _literal(path: str) -> str:
    """`path` inside a quoted SQL pattern, meaning itself: a folder called `a[1]` is no pattern."""
    for letter in "[*?":
        path = path.replace(letter, f"\0{letter}]")
    return path.replace("\0", "[").replace("'", "''")
