"""What the home already knows of an import's events: from the lake, and from the log where the lake has not come yet.

It is a convenience that keeps copies off the log and makes counts true. Who decides in the end is staging: what others
append while an import runs is not seen here.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ingest.home import Home
from ingest.lake.segments import next_position, segments
from ingest.log import EventLog, Record
from ingest.log.lanes import Lanes
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.imports import FileImported

Key = tuple[str, str]
"""(source, event id)."""


class Known(NamedTuple):
    """One copy of an event that is already written."""

    content_hash: str
    """Empty where it was erased: what it said is not known any more, and that it must not come again is."""
    import_id: str | None

    @property
    def is_erased(self) -> bool:
        """Whether a person has asked for it to be gone."""
        return not self.content_hash


class KnownEvents:
    """The events that are known when it is made. Memory grows with what has not landed yet, not with the lake."""

    def __init__(self, home: Home, log: EventLog, topics: Iterable[str], source: str) -> None:
        """Look at `topics`, for events whose source begins with `source`."""
        self._home, self._log, self._source = home, log, source
        self._topics = tuple(topics)
        self._tail: dict[Key, list[Known]] = defaultdict(list)
        self.corrected = self._landed_corrections()
        """Imports that another one has corrected: what they wrote counts no longer."""
        for topic in self._topics:
            self._read_tail(topic)

    def find(self, keys: set[Key]) -> dict[Key, list[Known]]:
        """The copies of each of `keys` that are there, oldest position first; keys that are not known are left out."""
        found: dict[Key, list[Known]] = defaultdict(list)
        wanted = pl.DataFrame(
            {"source": [source for source, _ in keys], "event_id": [event_id for _, event_id in keys]},
            schema={"source": pl.String, "event_id": pl.String},
        )
        files = [file for topic in self._topics for file in self._segments(topic)]
        if files and keys:
            rows = (
                pl.concat([_written(file) for file in files])
                .join(wanted.lazy(), on=["source", "event_id"], how="semi")
                .filter(pl.col("content_hash").is_not_null())
                .collect()
            )
            for source, event_id, content_hash, import_id in rows.iter_rows():
                found[source, event_id].append(Known(content_hash, import_id))
        for key in keys & self._tail.keys():
            found[key] += self._tail[key]
        return found

    def _landed_corrections(self) -> set[str]:
        """Out of the lake. Segments from before there were corrections have no such column."""
        found: set[str] = set()
        for file in self._segments("imports"):
            rows = pl.scan_parquet(file, glob=False)
            # Not `read_parquet_schema`, which takes a folder called `a[1]` for a pattern.
            if "corrects" in rows.collect_schema().names():
                corrects = rows.select("corrects").filter(pl.col("corrects").is_not_null())
                found.update(corrects.collect()["corrects"])
        return found

    def _segments(self, topic: str) -> list[Path]:
        folder = self._home.lake / topic
        partitions = sorted(int(inner.name) for inner in folder.glob("[0-9]*") if inner.name.isdigit())
        return [segment for partition in partitions for segment in segments(self._home, topic, partition)]

    def _read_tail(self, topic: str) -> None:
        lanes = Lanes(self._log)
        begins = lanes.begin_offsets(topic)
        for partition, end in sorted(lanes.end_offsets(topic).items()):
            offset = max(next_position(self._home, topic, partition), begins.get(partition, 0))
            while offset < end:
                batch = lanes.read(topic, partition, offset)
                for record in batch.records:
                    self._remember(record)
                if batch.next_offset == offset:
                    break
                offset = batch.next_offset

    def _remember(self, record: Record) -> None:
        if self._source and f'"{self._source}'.encode() not in record.value:
            return  # told by its bytes, since to parse what other producers wrote would take most of the time
        try:
            event: AnyEvent = parse(record.value, record.headers)
        except BadEvent:
            return
        if isinstance(event, FileImported) and event.corrects:
            self.corrected.add(event.corrects)
        if event.source.startswith(self._source):
            self._tail[event.source, event.id].append(Known(event.content_hash(), event.import_id))


def _written(file: Path) -> pl.LazyFrame:
    """What is told of each event in a segment: (source, event_id, content_hash, import_id)."""
    rows = pl.scan_parquet(file, glob=False)
    columns = ("source", "event_id", "content_hash", "import_id")
    if "erased" not in rows.collect_schema():  # written before anything could be
        return rows.select(columns)
    gone = pl.col("erased").is_not_null() & pl.col("error").is_null()
    return rows.with_columns(content_hash=pl.when(gone).then(pl.lit("")).otherwise(pl.col("content_hash"))).select(
        columns
    )
