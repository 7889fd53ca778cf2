"""Segments: immutable Parquet files, `lake/<topic>/<partition>/<start>.parquet`, a partition's one after the other.

The name is the position that a segment starts from, and is taken once: of two writers with the same start one wins. The
footer says the position to read next, since offsets have gaps (rows are not positions). Whoever begins at the last
footer's position therefore neither repeats nor skips. What compaction has merged counts as segments here, in the place
of those that it was made of. Merging and erasing segments is not done here.
"""

import io
import os
import re
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars.exceptions import PolarsError

from ingest.durable import put_if_absent, replace
from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.compacted import compacted_folder, ensure_compacted, read_compacted
from models.errors import TerminalError

LAYOUT = 1
"""Raised when segments change so that older code would misread them."""

SUFFIX = ".parquet"
LIVE = re.compile(rf"[0-9]{{20}}\{SUFFIX}")


class Footer(NamedTuple):
    """What a segment says about itself, in Parquet's key-value metadata under `flywheel.<name>`."""

    topic: str
    partition: int
    next: int
    """The position to read next from the log."""
    log: str
    """The log that the positions are of."""
    topic_id: str
    """The topic's id in that log: one made again under the same name has another."""
    errors: int
    """How many rows are no events."""
    layout: int = LAYOUT


def segment_path(home: Home, topic: str, partition: int, start: int) -> Path:
    """Where the segment that starts from position `start` lies."""
    return home.lake / topic / str(partition) / f"{start:020d}{SUFFIX}"


def segments(home: Home, topic: str, partition: int) -> list[Path]:
    """The segments of a partition in the order of their positions, each row once; [] where nothing has landed.

    Merged ones come first, in the place of those that they were made of. What was listed here stays for a while
    (`ingest.lake.compaction`), so list and read it without a pause between.
    """
    merged = read_compacted(home, topic).partitions.get(partition)
    live = live_segments(home, topic, partition)
    if merged is None:
        return live
    folder = compacted_folder(home, topic, partition)
    return [*(folder / name for name in merged.files), *(each for each in live if start_of(each) >= merged.watermark)]


def partitions(home: Home, topic: str) -> list[int]:
    """The partitions of `topic` that have landed, sorted."""
    folder = home.lake / topic
    return sorted(int(inner.name) for inner in folder.iterdir() if inner.name.isdecimal()) if folder.exists() else []


def live_segments(home: Home, topic: str, partition: int) -> list[Path]:
    """The files that writers have linked, merged since or not, in the order of their positions."""
    folder = home.lake / topic / str(partition)
    try:
        return sorted(folder / name for name in os.listdir(folder) if LIVE.fullmatch(name))  # noqa: PTH208  (a third)
    except FileNotFoundError:
        return []


def start_of(segment: Path) -> int:
    """The position that a segment, or a merged one, starts from."""
    return int(segment.stem.partition("-")[0])


def last_footer(home: Home, topic: str, partition: int) -> tuple[Path, Footer] | None:
    """The last segment of a partition and what it says; None where nothing has landed."""
    landed = segments(home, topic, partition)
    return (landed[-1], read_footer(landed[-1])) if landed else None


def next_position(home: Home, topic: str, partition: int) -> int:
    """The position to read next from the log, by the last segment's footer; 0 where nothing has landed."""
    last = last_footer(home, topic, partition)
    return last[1].next if last else 0


def write(home: Home, start: int, frame: pl.DataFrame, footer: Footer) -> bool:
    """Land `frame` (columns of `schema(topic)`) as the segment that starts from `start`, whole and durable.

    False if that segment is there already, or has been merged since: then another writer has landed these positions,
    and what was to be written is theirs. A full disk is a TransientError and leaves nothing behind.
    """
    path = segment_path(home, footer.topic, footer.partition, start)
    return put_if_absent(
        path, _parquet(frame, footer), unless=lambda: is_merged(home, footer.topic, footer.partition, start)
    )


def is_merged(home: Home, topic: str, partition: int, start: int) -> bool:
    """Whether the segment that starts from position `start` is in a merged file, so that its name may be free again."""
    merged = read_compacted(home, topic).partitions.get(partition)
    return merged is not None and start < merged.watermark


def encoded(frame: pl.DataFrame, footer: Footer) -> bytes:
    """`frame` as a segment's bytes."""
    return _parquet(frame, footer)


def read_footer(segment: Path) -> Footer:
    """What `segment` says about itself. Raises TerminalError for a damaged file, or one of a newer version."""
    try:
        said = pl.read_parquet_metadata(segment)
        footer = Footer(
            topic=said["flywheel.topic"],
            partition=int(said["flywheel.partition"]),
            next=int(said["flywheel.next"]),
            log=said["flywheel.log"],
            topic_id=said["flywheel.topic_id"],
            errors=int(said["flywheel.errors"]),
            layout=int(said["flywheel.layout"]),
        )
    except (PolarsError, OSError, KeyError, ValueError) as error:
        raise TerminalError(
            f"segment {segment} can't be read ({type(error).__name__}: {error}): move it away, with all that follow it "
            "in its folder, and the sink lands them again from the log"
        ) from error
    if footer.layout > LAYOUT:
        raise TerminalError(
            f"segment {segment} was written by a newer version (layout {footer.layout}; this one knows {LAYOUT}): "
            "update Flywheel"
        )
    return footer


def read(segment: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """The rows of a segment; `columns` alone if given. The path is taken as it is, not as a pattern."""
    return pl.read_parquet(segment, columns=columns, glob=False)


def ensure_empty(home: Home, topic: str) -> Path:
    """Keep `lake/<topic>/schema/empty.parquet`: no rows, every column of the topic as this version knows it.

    A pattern over the lake then always matches a file, and a union by name always has every column. It holds no
    positions. It is written anew when columns were added, and left alone where it already has more. The list of
    merged files is kept beside it.
    """
    ensure_compacted(home, topic)
    path = home.lake / topic / "schema" / f"empty{SUFFIX}"
    wanted = schema(topic)
    # Not `read_parquet_schema`, which takes a folder called `a[1]` for a pattern.
    if not path.exists() or not wanted.items() <= pl.scan_parquet(path, glob=False).collect_schema().items():
        replace(path, _parquet(wanted.to_frame()))
    return path


def _parquet(frame: pl.DataFrame, footer: Footer | None = None) -> bytes:
    said = {f"flywheel.{name}": str(value) for name, value in (footer._asdict() if footer else {}).items()}
    file = io.BytesIO()
    # Level 1: half the time of the default (3), and no larger.
    frame.write_parquet(file, compression="zstd", compression_level=1, metadata=said)
    return file.getvalue()
