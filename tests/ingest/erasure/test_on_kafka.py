"""On Kafka nothing can be rewritten: the certificate says until when it is kept, and no replay brings it back."""

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest

from ingest.erasure.ask import ask
from ingest.erasure.carry_out import Done, carry_out
from ingest.erasure.sweep import sweep
from ingest.home import Home
from ingest.log import EventLog, open_log
from ingest.sink import Sink
from models.topics import TOPICS
from tests.ingest.erasure.grepping import holding
from tests.ingest.erasure.planted import SENTENCE, TAKEN, VICTIM, WORDS, plant, without_a_model

pytestmark = pytest.mark.kafka


def new_home(path: Path) -> Home:
    home = Home.open(path)
    without_a_model(home)
    return home


@pytest.fixture
def log(tmp_path: Path, kafka_bootstrap: str) -> Generator[EventLog]:
    with open_log(f"kafka://{kafka_bootstrap}/test-{uuid4().hex}", tmp_path) as opened:
        yield opened


def test_a_person_who_was_erased_stays_so_in_every_home_of_the_log(tmp_path: Path, log: EventLog):
    home = new_home(tmp_path / "home")
    plant(home, log)
    assert ask(home, log, VICTIM)
    (done,) = carry_out(home, log, lambda: None)
    assert holding(home.path, WORDS) == []
    assert done.certificate["events"] == TAKEN
    _check_kept(done)

    # A replay: what they wrote lands without content; what is about them goes before anything is made of it.
    again = new_home(tmp_path / "again")
    Sink(log, again).drain()
    landed = pl.concat([pl.read_parquet(file) for file in (again.lake / "feedback").glob("[0-9]/*.parquet")])
    said = landed.filter(pl.col("event_id").is_in(["said", "only mine", "corrected", "preferred", "reported", "voted"]))
    assert said.height == 6
    assert said["raw"].null_count() == said["erased"].count() == 6
    with again.lock("build"):
        sweep(again)
    assert holding(again.path, WORDS) == []
    assert _erased(again) == _erased(home) == TAKEN

    # To that home the request is new: it is carried out there, and both say so on the log.
    (there,) = carry_out(again, log, lambda: None)
    assert there.certificate["events"] == TAKEN
    assert there.certificate["specs_retired"] == done.certificate["specs_retired"]
    assert carry_out(again, log, lambda: None) == carry_out(home, log, lambda: None) == []


def _check_kept(done: Done) -> None:
    kept = {each["topic"]: each for each in done.certificate["log"]["records_kept"]}
    assert {topic: kept[topic]["records"] for topic in TAKEN if topic != "taxonomy"} == {
        topic: records for topic, records in TAKEN.items() if topic != "taxonomy"
    }
    assert {"feedback.dlt", "responses.dlt"} <= kept.keys()
    soon = datetime.now(UTC) + timedelta(days=89)
    assert datetime.fromisoformat(kept["feedback"]["until"]) > soon
    assert kept["results"]["until"] is None  # a topic that Kafka keeps for ever
    assert SENTENCE not in str(done.certificate)


def _erased(home: Home) -> dict[str, int]:
    counts: dict[str, int] = {}
    for topic in TOPICS:
        files = list((home.lake / topic).glob("[0-9]*/*.parquet"))
        rows = sum(pl.read_parquet(file, columns=["erased"])["erased"].count() for file in files)
        counts |= {topic: rows} if rows else {}
    return counts
