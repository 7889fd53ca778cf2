"""A home with an embedded log, and the shortest way from rows to the events that an import leaves on it."""

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingest.home import Home
from ingest.importers import find
from ingest.importers.base import Context
from ingest.importers.run import Account, import_file
from ingest.log import EventLog, open_log, replay
from models.events import AnyEvent, parse
from models.unicode import repair_json


class Place(NamedTuple):
    """A home, its log, and a folder for input files."""

    home: Home
    log: EventLog
    files: Path

    def run(self, form: str, path: Path, **options: str) -> Account:
        return import_file(self.log, self.home, find(form), path, {k.replace("__", "."): v for k, v in options.items()})

    def rows(self, form: str, rows: Sequence[Any], name: str = "input.jsonl", **options: str) -> Account:
        """Import `rows` as JSON lines; a text is a line as it stands."""
        path = self.files / name
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
        return self.run(form, path, **options)

    def table(self, text: str, **options: str) -> Account:
        path = self.files / "table.csv"
        path.write_text(text, newline="")
        return self.run("csv", path, **options)

    def events(self, *topics: str) -> list[AnyEvent]:
        return [
            parse(record.value, record.headers)
            for topic in topics or ("responses", "feedback")
            for record in replay(self.log, topic)
        ]


@pytest.fixture
def place(tmp_path: Path) -> Generator[Place]:
    home = Home.open(tmp_path / "home")
    files = tmp_path / "files"
    files.mkdir()
    with open_log(None, home.path) as log:
        yield Place(home, log, files)


@pytest.fixture
def events_of() -> Callable[..., list[AnyEvent]]:
    """The events that an importer makes of rows, without a log."""

    def made(form: str, *rows: Any, **options: str) -> list[AnyEvent]:
        context = Context(options)
        return [event for row in rows for event in find(form).events(repair_json(row)[0], context)]

    return made
