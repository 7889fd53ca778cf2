"""An erasure that is killed again and again ends as one that is not; readers beside it see no fault."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import duckdb
import polars as pl

from ingest.erasure.ask import ask
from ingest.erasure.requests import landed_requests
from ingest.erasure.sweep import sweep
from ingest.home import Home
from ingest.lake.segments import ensure_empty
from ingest.lake.views import lake_relation
from ingest.log import open_log, replay
from ingest.reader import query
from ingest.sink import Sink
from models.errors import FlywheelError
from models.events.privacy import ErasureRequested
from models.feedback import Author
from tests.ingest.erasure.grepping import holding
from tests.ingest.erasure.landed import AFTER, BEFORE, comment, land
from tests.ingest.erasure.planted import TAKEN, VICTIM, WORDS, plant, without_a_model

KILLED_AT = (3, 8, 13, 20, 9, 5)
"""Durable writes after which a run is killed: while it plans, among the files of the lake, behind them."""
PERSONS, SEGMENTS = 12, 3


def test_killed_at_any_point_the_next_run_goes_on(tmp_path: Path):
    home = Home.open(tmp_path / "home")
    with open_log(None, home.path) as log:
        without_a_model(home)
        plant(home, log)
        asked = ask(home, log, VICTIM)
    ended: list[int] = []
    eraser = [sys.executable, "-W", "error", str(Path(__file__).with_name("eraser.py"))]
    with subprocess.Popen(eraser, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin and running.stdout
        for killed_at in (*KILLED_AT, None):
            running.stdin.write(json.dumps({"home": str(home.path), "killed_at": killed_at}) + "\n")
            running.stdin.flush()
            ended.append(int(running.stdout.readline()))
        running.stdin.close()
    assert ended == [*[-9] * len(KILLED_AT), 0]
    assert holding(home.path, WORDS) == []
    with open_log(None, home.path) as log:
        assert ask(home, log, VICTIM) is None
        tombs = [
            record
            for topic in TAKEN
            for record in replay(log, topic)
            if any(name == "flywheel.erased" for name, _ in record.headers)
        ]
        assert len(tombs) == sum(TAKEN.values())
        completed = [record for record in replay(log, "privacy") if b"erasure_completed" in record.value]
        assert len(completed) == 1
    said = json.loads((home.erasures / f"{asked}.json").read_text())
    assert said["events"] == TAKEN
    assert sum(touched["events"] for touched in said["files"] if touched["file"].startswith("lake")) == sum(
        TAKEN.values()
    )
    assert not list(home.erasures.glob("plan*"))
    _lands_as_it_was_left(home, Home.open(tmp_path / "again"))


def _lands_as_it_was_left(home: Home, again: Home) -> None:
    """What the log has kept of it says the same to a lake that is landed anew."""
    with open_log(None, home.path) as log:
        letters = log.end_offsets("feedback.dlt")
        Sink(log, again).drain()
        assert log.end_offsets("feedback.dlt") == letters
    columns = ["event_id", "source", "type", "occurred_at", "received_at", "import_id", "error", "erased", "raw"]
    for topic in TAKEN:
        one, other = (
            pl.concat([pl.read_parquet(file, columns=columns) for file in (each.lake / topic).glob("[0-9]*/*.parquet")])
            .filter(pl.col("erased").is_not_null())
            .sort("received_at", "event_id")
            for each in (home, again)
        )
        assert one.height == TAKEN[topic]
        assert one.equals(other), topic


def test_readers_beside_it_never_fail_and_miss_no_row(tmp_path: Path):
    home = Home.open(tmp_path / "home")
    ensure_empty(home, "feedback")
    for segment in range(SEGMENTS):
        persons = [Author(kind="human", id=f"person-{number}") for number in range(PERSONS)]
        land(
            home,
            *(
                comment(f"{segment}-{number}", person, "x", text=f"{segment} of {number}")
                for number, person in enumerate(persons)
            ),
            at=BEFORE,
        )
    home.builds.mkdir()
    with duckdb.connect(home.builds / "published.duckdb") as connection:
        connection.execute(f"create schema raw; create view raw.feedback as {lake_relation(home, 'feedback')}")
    home.warehouse.symlink_to(home.builds / "published.duckdb")
    stop = Event()
    seen: list[tuple[int, int]] = []
    faults: list[Exception] = []

    def read() -> None:
        while not stop.is_set() and not faults:
            try:
                seen.extend(
                    (rows, said) for rows, said in query(home, "select count(*), count(text) from raw.feedback").rows
                )
            except FlywheelError as error:
                faults.append(error)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(PERSONS):
        request = ErasureRequested(id=f"ask-{number}", source="app", person_id=f"person-{number}")
        land(home, request, at=AFTER + timedelta(seconds=number))
        with home.lock("build"):
            assert sweep(home).files == SEGMENTS
    stop.set()
    for reader in readers:
        reader.join()
    assert faults == []
    assert {rows for rows, _ in seen} == {PERSONS * SEGMENTS}
    assert seen[-1][1] < PERSONS * SEGMENTS
    assert len(landed_requests(home)) == PERSONS
    with home.lock("build"):
        assert sweep(home).files == 0
