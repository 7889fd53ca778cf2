"""What the sink's tests write into a log, and read back from a lake."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl

from ingest.home import Home
from ingest.lake.segments import read, segments
from ingest.log import Entry, EventLog, Position, replay
from models.events import dump
from models.events.comment import CommentLeft
from models.feedback import Author, Target

POISON = b"not json"


def comment(number: int, text: str = "too long") -> CommentLeft:
    """The `number`-th comment. Its key spreads the comments over the partitions."""
    return CommentLeft(
        id=f"comment-{number}",
        source="test",
        target=Target(kind="response", id=f"response-{number}"),
        author=Author(kind="human"),
        text=text,
    )


def entry(number: int, text: str = "too long") -> Entry:
    """The `number`-th comment, ready to append."""
    event = comment(number, text)
    return Entry(event.topic, event.key, dump(event))


def entries(numbers: Iterable[int]) -> list[Entry]:
    """Comments, of which every tenth is no event."""
    return [entry(number)._replace(value=POISON) if number % 10 == 9 else entry(number) for number in numbers]


def lake(home: Home, topic: str = "feedback") -> pl.DataFrame:
    """Every row that has landed for `topic`."""
    folders = (folder for folder in (home.lake / topic).iterdir() if folder.name.isdigit())
    landed = [read(segment) for folder in folders for segment in segments(home, topic, int(folder.name))]
    return pl.concat(landed)


def landed(home: Home, topic: str = "feedback") -> list[Position]:
    """The position of every row in the lake, sorted: one that landed twice is there twice."""
    rows = lake(home, topic).select("log_partition", "log_offset").sort("log_partition", "log_offset")
    return [Position(topic, partition, offset) for partition, offset in rows.iter_rows()]


def dead_letters(log: EventLog, topic: str = "feedback") -> list[str]:
    """The keys of the dead letters, sorted: one that was sent twice is there twice."""
    return sorted((letter.key or b"").decode() for letter in replay(log, f"{topic}.dlt"))


def leftovers(home: Home) -> list[Path]:
    """Files in the lake that are not whole."""
    return [path for path in home.lake.rglob("*") if path.is_file() and path.name.startswith(".")]


def wait_for(condition: Callable[[], bool], every: float = 0.02) -> None:
    """Until `condition` holds; a minute is a fault."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited for a minute"
        time.sleep(every)
