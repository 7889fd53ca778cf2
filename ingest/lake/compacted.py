"""What compaction has put together of a topic: a list of files, and from which position on its segments are live.

The list is `lake/<topic>/schema/compacted.json`, replaced whole. The files are
`lake/<topic>/<partition>/compacted/<start>-<next>.parquet`, which no pattern over live segments matches. Nothing is
merged or removed here.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple, cast

from ingest.durable import put_if_absent, replace
from ingest.home import Home
from models.errors import TerminalError

FOLDER = "compacted"


class Merged(NamedTuple):
    """What was merged of one partition."""

    watermark: int = 0
    """All positions before it are in `files`; live segments from it on are not."""
    files: tuple[str, ...] = ()
    """Names in the order of their positions."""


class Compacted(NamedTuple):
    """The list of one topic."""

    generation: int = 0
    """Raised by each list."""
    emptied: int = 0
    """The generation whose merged segments are gone, or go now: who reads by an older list has to read anew."""
    published_at: float = 0.0
    """Seconds since 1970."""
    partitions: dict[int, Merged] = {}  # noqa: RUF012  (never changed in place)


def compacted_folder(home: Home, topic: str, partition: int) -> Path:
    """Where the merged files of a partition lie."""
    return home.lake / topic / str(partition) / FOLDER


def list_file(home: Home, topic: str) -> Path:
    """Where the list of `topic` stands."""
    return home.lake / topic / "schema" / "compacted.json"


def read_compacted(home: Home, topic: str) -> Compacted:
    """The list of `topic`; an empty one where nothing was compacted. Raises TerminalError for a damaged one."""
    file = list_file(home, topic)
    try:
        said = cast(dict[str, Any], json.loads(file.read_text()))
        return Compacted(
            int(said["generation"]),
            int(said["emptied"]),
            float(said["published_at"]),
            {
                int(partition): Merged(int(merged["watermark"]), tuple(map(str, merged["files"])))
                for partition, merged in said["partitions"].items()
            },
        )
    except FileNotFoundError:
        return Compacted()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TerminalError(
            f"{file}, which lists the compacted files, can't be read ({type(error).__name__}: {error}): restore it; "
            "without it rows would be seen twice or not at all"
        ) from error


def publish_compacted(home: Home, topic: str, compacted: Compacted) -> None:
    """Put the list in the place of the one before, durably. Errors: see `ingest.durable.replace`."""
    replace(list_file(home, topic), _content(compacted))


def ensure_compacted(home: Home, topic: str) -> None:
    """Have a list, if only an empty one: readers look at it."""
    file = list_file(home, topic)
    if not file.exists():
        put_if_absent(file, _content(Compacted()))


def _content(compacted: Compacted) -> bytes:
    said = {**compacted._asdict(), "partitions": {str(at): m._asdict() for at, m in compacted.partitions.items()}}
    return json.dumps(said, indent=1).encode()
