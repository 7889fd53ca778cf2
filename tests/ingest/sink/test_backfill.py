"""Old events come by a lane of their own: what is fresh lands first, and both are one table."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest

from ingest.home import Home
from ingest.lake.segments import read, segments
from ingest.log import EventLog, open_log, publish
from ingest.log.base import partition_count
from ingest.replay import from_log
from ingest.sink import FlushPolicy, Sink
from ingest.sink.lag import lag
from ingest.sink.sink import BACKFILL_ROWS
from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.feedback import Author, Target
from models.topics import BACKFILLED, FIRST_BACKFILL_PARTITION, TOPICS, lake_place, log_place

OLD = 4 * BACKFILL_ROWS


def comments(name: str, count: int) -> Iterator[CommentLeft]:
    for number in range(count):
        target = Target(kind="response", id=f"{name}-{number % 7}")
        author = Author(kind="human", id="u")
        yield CommentLeft(id=f"{name}-{number}", source="test", target=target, author=author, text="x")


def landed(home: Home) -> pl.DataFrame:
    files = [
        file
        for folder in (home.lake / "feedback").glob("[0-9]*")
        for file in segments(home, "feedback", int(folder.name))
    ]
    return pl.concat([read(file, ["event_id", "log_partition", "log_offset", "error"]) for file in files])


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventLog]:
    url = None
    if request.param == "kafka":
        url = f"kafka://{request.getfixturevalue('kafka_bootstrap')}/{uuid4().hex}"
    with open_log(url, tmp_path / "home") as opened:
        yield opened


def test_what_is_fresh_lands_first_and_nothing_is_lost(log: EventLog, tmp_path: Path):
    home = Home.open(tmp_path / "home")
    publish(log, comments("old", OLD), backfill=True)
    publish(log, comments("fresh", 300))
    sink = Sink(log, home, FlushPolicy(rows=BACKFILL_ROWS, seconds=0.0))
    sink.step()
    first = landed(home)
    assert set(first.filter(pl.col("event_id").str.starts_with("fresh"))["event_id"]) == {
        f"fresh-{number}" for number in range(300)
    }
    assert 0 < first.height - 300 < OLD
    waiting = {at[1] for at, behind in lag(log, home).items() if behind}
    assert waiting
    assert min(waiting) >= FIRST_BACKFILL_PARTITION
    publish(log, comments("later", 300))
    sink.step()
    assert landed(home)["event_id"].str.starts_with("later").sum() == 300
    sink.drain()
    every = landed(home)
    assert every["event_id"].n_unique() == every.height == OLD + 600
    assert every["error"].null_count() == every.height
    assert not any(lag(log, home).values())


def test_a_backfill_rests_while_fresh_events_come_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.open(tmp_path / "home")
    monkeypatch.setattr("ingest.sink.sink.BACKFILL_REST", 1e9)
    monkeypatch.setattr("ingest.sink.sink.BACKFILL_ROWS", 100)
    many = 6_000

    def old() -> int:
        return landed(home).filter(pl.col("event_id").str.starts_with("old")).height

    with open_log(None, home.path) as log:
        publish(log, comments("old", many), backfill=True)
        sink = Sink(log, home, FlushPolicy(seconds=0.0))
        sink.step()
        first = old()
        sink.step()
        second = old()
        assert 0 < first < second  # nothing fresh came: no rest
        for part in ("fresh", "later"):
            publish(log, comments(part, 30))
            assert sink.step()
            assert landed(home)["event_id"].str.starts_with(part).sum() == 30
            second = old() if part == "fresh" else second
        assert old() == second  # what was left of it rests
        assert second < many
        sink.drain()
        assert old() == many


def test_a_replay_keeps_the_lanes_places(log: EventLog, tmp_path: Path):
    home, again = Home.open(tmp_path / "home"), Home.open(tmp_path / "again")
    publish(log, comments("old", 100), backfill=True)
    publish(log, comments("fresh", 100))
    Sink(log, home).drain()
    list(from_log(log, again))
    order = ["log_partition", "log_offset"]
    assert landed(again).sort(order).equals(landed(home).sort(order))


def test_topics_without_a_lane_have_one_order(tmp_path: Path):
    with open_log(None, tmp_path) as log:
        (position,) = publish(log, [ResponseServed(id="r", source="test", response_id="r")], backfill=True)
        assert position.topic == "responses.backfill"
        assert "jobs" not in BACKFILLED
        assert "privacy" not in BACKFILLED


@pytest.mark.parametrize("topic", BACKFILLED)
def test_places_go_to_and_fro(topic: str):
    assert partition_count(f"{topic}.backfill") == TOPICS[topic].partitions
    for partition in (0, 2, FIRST_BACKFILL_PARTITION, FIRST_BACKFILL_PARTITION + 2):
        assert lake_place(*log_place(topic, partition)) == (topic, partition)
