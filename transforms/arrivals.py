"""What has landed since a build, as dbt reads it: views over the segments that may have more, and what they touch.

Left out: building. `raw` views stand beside them in the file, for people.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from ingest.home import Home
from ingest.lake.compacted import Compacted
from ingest.lake.segments import ensure_empty, partitions, read, read_footer, segments, start_of
from ingest.lake.views import files_relation, lake_relation
from models.topics import TOPICS, is_backfill
from transforms.merging import UNMERGED

NEW_UNITS = """
select count(*) from arrivals.experiments
where type = 'experiment.started.v1' and error is null and unit not in (select unit from int_experiments)
"""

Last = dict[tuple[str, int], int]
"""(topic, partition) -> last offset that a build has."""


class Arrived(NamedTuple):
    """What has landed since the last build."""

    topics: frozenset[str]
    touches_all: bool
    """Whether it changes more than its own rows and targets: an issued spec decides sides, a correction takes back what
    an import has written, and the first experiment on a kind of unit wants the past of all such units."""
    kinds: frozenset[str]
    """Types of the events of which a record arrived, as it says and as records before it say, and of what else is about
    them: `refused` (a record that can't be read), `repeated`, `corrected`, `imported`, `erased`."""
    empty: frozenset[str]
    """Tables of the last build without a row."""


def add_views(
    home: Home,
    file: Path,
    lists: dict[str, Compacted],
    last: Last,
    backfill_rows: int | None,
) -> Arrived:
    """`raw.<topic>`: the lake's segments as they are now and as they will be, for readers. `arrivals.<topic>`, for dbt:
    those of now, beyond the positions `last`; in a copy of the last build also `arrivals.added_<topic>`, the same as
    the base model will have it.
    """
    with duckdb.connect(file, config=UNMERGED) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("create schema if not exists raw")
        connection.execute("create schema if not exists arrivals")
        sizes = {
            str(name): int(rows)
            for name, rows in connection.execute(
                "select table_name, estimated_size from duckdb_tables() where schema_name = 'main'"
            ).fetchall()
        }
        for topic in TOPICS:
            ensure_empty(home, topic)
            connection.execute(f'create or replace view raw."{topic}" as {lake_relation(home, topic, lists[topic])}')
            connection.execute(
                f'create or replace view arrivals."{topic}" as {_arrivals(home, topic, last, backfill_rows)}'
            )
            if sizes:
                connection.execute(f'create or replace view arrivals."added_{topic}" as {_added(home, topic, last)}')
        counts = " union all ".join(f"select '{topic}', count(*) from arrivals.\"{topic}\"" for topic in TOPICS)
        topics = frozenset(topic for topic, count in connection.execute(counts).fetchall() if count)
        corrected = connection.execute("select count(*) from arrivals.imports where corrects is not null").fetchall()
        units = connection.execute(NEW_UNITS).fetchall() if sizes and "experiments" in topics else [(0,)]
        return Arrived(
            topics,
            touches_all="specs" in topics or corrected != [(0,)] or units != [(0,)],
            kinds=_kinds(connection, topics) if sizes else frozenset(),
            empty=frozenset(name for name, rows in sizes.items() if not rows),
        )


def _kinds(connection: duckdb.DuckDBPyConnection, topics: frozenset[str]) -> frozenset[str]:
    """`Arrived.kinds` of what arrived on `topics`, in a copy of the last build."""
    found: set[str] = set()
    for topic in topics:
        event = "hash(source, event_id)"
        came = f"select *, contains(record_headers, '\"flywheel.corrects\"') as corrects_one from arrivals.{topic}"
        known = (
            f"select *, false as corrects_one from base_{topic} "
            f"where event_hash in (select {event} from arrivals.{topic} where error is null)"
        )
        for records in (came, known):
            for type_, *said in connection.execute(
                "select distinct type, error is not null, import_id is not null, erased is not null, corrects_one "
                f"from ({records})"
            ).fetchall():
                found |= {type_} - {None}
                names = ("refused", "imported", "erased", "corrected")
                found |= {name for name, holds in zip(names, said, strict=True) if holds}
        if connection.execute(f"select 1 from ({known}) limit 1").fetchall() or connection.execute(
            f"select count(*) > count(distinct {event}) from arrivals.{topic} where error is null"
        ).fetchall() == [(True,)]:
            found.add("repeated")
    if connection.execute("select 1 from base_corrections limit 1").fetchall():
        found.add("corrected")  # the record that one corrects may have landed after it
    return frozenset(found)


def _arrivals(home: Home, topic: str, last: Last, backfill_rows: int | None) -> str:
    """A `select` over the records of `topic` beyond `last`, in files that are there now; of backfills not too many."""
    parts: list[str] = []
    for partition in partitions(home, topic):
        landed = segments(home, topic, partition)
        after = last.get((topic, partition), -1)
        # A segment's rows end before the next one starts.
        files = [each for each, next_ in pairwise(landed) if start_of(next_) > after + 1]
        if landed and read_footer(landed[-1]).next > after + 1:
            files.append(landed[-1])
        if files:
            # Compared with one number, so that DuckDB passes over what a merged file has of before.
            beyond = f"log_offset > {after}"
            if backfill_rows is not None and is_backfill(partition):
                beyond += f" and log_offset <= {_cut(files, after, backfill_rows)}"
            landed = f"({files_relation(home, topic, files)}) where {beyond}"
            # Apart, since only of what is no event the bytes are read, which are most of a file.
            parts.append(f"select * replace (cast(null as blob) as raw) from {landed} and error is null")
            parts.append(f"select * from {landed} and error is not null")
    return " union all ".join(parts) or files_relation(home, topic, [])


def _added(home: Home, topic: str, last: Last) -> str:
    """A `select` over what the base model of `topic` has beyond `last`."""
    at = {partition: last.get((topic, partition), -1) for partition in partitions(home, topic)}
    # Each partition apart, so that DuckDB passes over what was there before.
    beyond = [f"log_partition = {partition} and log_offset > {after}" for partition, after in at.items()] or ["false"]
    return " union all ".join(f"select * from base_{topic} where {each}" for each in beyond)


def _cut(files: Sequence[Path], after: int, rows: int) -> int:
    """The offset of the last of the first `rows` rows beyond `after`, or of the last row."""
    beyond: list[int] = []
    for file in files:
        beyond += read(file, ["log_offset"]).filter(pl.col("log_offset") > after)["log_offset"].to_list()
        if len(beyond) >= rows:
            break
    return beyond[:rows][-1] if beyond else after


def landed_since(home: Home, built: Last) -> bool:
    """Whether the lake has a segment that starts beyond what the build has read, or more of a backfill."""
    for topic in TOPICS:
        for partition in partitions(home, topic):
            landed = segments(home, topic, partition)
            last = built.get((topic, partition), -1)
            if landed and start_of(landed[-1]) > last:
                return True
            if landed and is_backfill(partition) and _cut(landed[-1:], last, 1) > last:
                return True
    return False
