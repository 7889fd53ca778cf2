"""A lake whose clock the test sets: events land with the append times that a case asks for, in ordinary segments."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flywheel.sample import feed
from ingest.home import Home
from ingest.lake.segments import Footer, next_position, write
from ingest.log import Record, open_log
from ingest.reader import query
from ingest.sink import Sink, rows
from models.events import HEADERS, AnyEvent, dump
from transforms.build import Build, build

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)


class Lab:
    """A home without a log: its lake is written directly."""

    def __init__(self, path: Path, embeddings: Path) -> None:
        self.home = Home.open(path)
        embeddings.mkdir(exist_ok=True)
        self.home.embeddings.symlink_to(embeddings)

    def land(
        self, *events: AnyEvent | bytes, at: datetime = NOON, partition: int = 0, topic: str | None = None
    ) -> None:
        """Land `events` as received at `at`, each topic's as one segment; bytes need a `topic`."""
        by_topic: dict[str, list[bytes]] = {}
        for event in events:
            name = topic or ("" if isinstance(event, bytes) else event.topic)
            by_topic.setdefault(name, []).append(event if isinstance(event, bytes) else dump(event))
        for name, values in by_topic.items():
            start = next_position(self.home, name, partition)
            records = [
                Record(name, partition, start + place, b"key", value, HEADERS, at) for place, value in enumerate(values)
            ]
            footer = Footer(name, partition, start + len(records), "lab", "lab", 0)
            assert write(self.home, start, rows(records, name), footer)

    def build(self, *, full_refresh: bool = False) -> Build:
        """A build of what has landed."""
        return build(self.home, full_refresh=full_refresh)

    def ask(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Rows of the published build."""
        return query(self.home, sql, parameters).rows

    def one(self, sql: str, *parameters: object) -> Any:
        """The only value of the only row."""
        ((value,),) = self.ask(sql, *parameters)
        return value


@pytest.fixture(scope="session")
def new_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Lab]]:
    """Makes labs that share their cache of vectors."""
    embeddings = tmp_path_factory.mktemp("embeddings")
    yield lambda name: Lab(tmp_path_factory.mktemp(name) / "home", embeddings)


@pytest.fixture(scope="session")
def sampled(new_lab: Callable[[str], Lab]) -> Lab:
    """A lab whose home has the bundled sample on its log, landed and built. Tests may publish to its log, not build."""
    lab = new_lab("sampled")
    with open_log(None, lab.home.path) as log:
        feed(log)
        Sink(log, lab.home).drain()
    lab.build()
    return lab
