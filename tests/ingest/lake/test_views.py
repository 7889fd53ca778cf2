import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from ingest.home import Home
from ingest.lake.columns import Type, schema
from ingest.lake.segments import Footer, ensure_empty, segment_path, write
from ingest.lake.views import lake_relation
from ingest.log import Record
from ingest.sink import rows
from models.events import dump
from models.events.score import ScoreGiven
from models.feedback import Author, Target
from models.topics import TOPICS

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, UTC)


@pytest.fixture(params=["home", "a [b]* c?'d", "a=b"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    return Home.open(tmp_path / str(request.param))


def score(offset: int) -> Record:
    event = ScoreGiven(
        id=f"score-{offset}", source="test", occurred_at=NOW, target=Target(kind="response", id="r"),
        author=Author(kind="human"), metric="m", data_type="numeric", value=offset / 4, sequence=2**53 + 1,
    )  # fmt: skip
    return Record("feedback", 0, offset, b"key", dump(event), (), NOW)


def land(home: Home, start: int, *records: Record, drop: tuple[str, ...] = (), value: Type = pl.Float64) -> None:
    frame = rows(records, "feedback").with_columns(pl.col("value").cast(value)).drop(drop)
    assert write(home, start, frame, Footer("feedback", 0, start + len(records), "log", "topic", 0))


def ask(query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        return database.sql(query).fetchall()


@pytest.mark.parametrize("topic", TOPICS)
def test_an_empty_lake_has_every_column_of_its_type(topic: str, tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    ensure_empty(home, topic)
    described = {name: kind for name, kind, *_ in ask(f"describe {lake_relation(home, topic)}")}

    assert list(described) == schema(topic).names()
    for name, kind in {
        "received_at": "TIMESTAMP WITH TIME ZONE", "occurred_at": "TIMESTAMP WITH TIME ZONE", "raw": "BLOB",
        "log_offset": "BIGINT", "log_partition": "INTEGER", "repaired": "BOOLEAN", "canonical": "VARCHAR",
    }.items():  # fmt: skip
        assert described[name] == kind
    assert ask(f"select * from ({lake_relation(home, topic)})") == []


def test_rows_come_out_as_they_went_in(home: Home) -> None:
    ensure_empty(home, "feedback")
    land(home, 0, score(0), score(1))
    land(home, 2, score(2), score(3)._replace(value=b"\xffno event"))
    query = f"""
        select log_offset, received_at, occurred_at, value, sequence, raw, error is null, event_id
        from ({lake_relation(home, "feedback")}) order by log_offset
    """
    found = ask(query)

    assert [row[:1] + row[3:5] for row in found] == [
        (n, n / 4 if n < 3 else None, 2**53 + 1 if n < 3 else None) for n in range(4)
    ]
    assert {row[1].astimezone(UTC) for row in found} == {NOW}
    assert found[0][2].astimezone(UTC) == NOW
    assert found[3][5:] == (b"\xffno event", False, None)


def test_a_column_that_came_later_is_null_where_it_was_not(home: Home) -> None:
    ensure_empty(home, "feedback")
    land(home, 0, score(0), drop=("value", "record_headers"))
    land(home, 1, score(1))

    found = ask(f"select log_offset, value, record_headers from ({lake_relation(home, 'feedback')}) order by 1")

    assert found == [(0, None, None), (1, 0.25, "[]")]


def test_a_column_that_was_narrower_once_has_the_type_of_today(home: Home) -> None:
    ensure_empty(home, "feedback")
    land(home, 0, score(0), value=pl.Int32)
    land(home, 1, score(1))

    assert ask(f"select typeof(value), value from ({lake_relation(home, 'feedback')}) order by 2") == [
        ("DOUBLE", 0.0), ("DOUBLE", 0.25),
    ]  # fmt: skip


def test_a_view_is_read_from_any_folder_and_skips_what_is_not_whole(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    relative = Home(Path(os.path.relpath(home.path)))
    ensure_empty(home, "feedback")
    land(home, 0, score(0))
    (segment_path(home, "feedback", 0, 1).parent / ".00000000000000000001.parquet.ab.partial").write_bytes(b"PAR1")
    with duckdb.connect(tmp_path / "published.duckdb") as database:
        database.execute(f"create view raw as {lake_relation(relative, 'feedback')}")
    monkeypatch.chdir("/")

    with duckdb.connect(tmp_path / "published.duckdb", read_only=True) as database:
        assert database.sql("select count(*) from raw").fetchall() == [(1,)]
