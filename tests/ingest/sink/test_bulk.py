"""Read in bulk or one by one, every record gets the same row."""

import re

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ingest.log.base import Columns
from ingest.sink.bulk import bulk
from ingest.sink.land import landed
from ingest.sink.twins import twin_of
from models.events import EVENT_TYPES, HEADERS, dump, parse
from models.events.base import ENVELOPE
from models.events.checkpoint import CheckpointPromoted, CheckpointRefused
from models.events.experiment import ExperimentStarted
from models.events.report import ReportFiled
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, TrainingSpecIssued
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.topics import TOPICS
from tests.ingest.sink import hostile
from tests.ingest.sink.hostile import Value
from tests.ingest.sink.written import comment

ANY_EXAMPLE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

EXPONENT = re.compile(rb"[:,\[]-?[0-9.]+e[-+][0-9]")
"""Where `json` writes a number with an exponent, which msgspec writes otherwise."""


def columns(records: list[Value]) -> Columns:
    size = len(records)
    values, headers = [value for value, _ in records], [headers for _, headers in records]
    return Columns(list(range(size)), [1_772_323_200_000_000] * size, [b"key"] * size, values, headers, size)


def assert_same(records: list[Value], topic: str) -> pl.DataFrame:
    in_bulk = landed(columns(records), topic, 0)
    assert_frame_equal(in_bulk, landed(columns(records), topic, 0, in_bulk=False), check_exact=True)
    for row in in_bulk.filter(pl.col("error").is_null()).iter_rows(named=True):
        event = parse(row["raw"] if row["canonical"] is None else row["canonical"].encode())
        assert (event.id, event.type, event.content_hash()) == (row["event_id"], row["type"], row["content_hash"])
    return in_bulk


@given(st.lists(hostile.records(), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None, suppress_health_check=ANY_EXAMPLE)
def test_bulk_and_one_by_one_give_the_same_rows(records: list[tuple[str, Value]]) -> None:
    for topic in TOPICS:
        if mine := [value for where, value in records if where == topic]:
            assert_same(mine, topic)


@given(st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=ANY_EXAMPLE)
def test_what_our_own_writers_write_is_read_in_bulk_and_kept_once(data: st.DataObject) -> None:
    event_type = data.draw(st.sampled_from([event for event in EVENT_TYPES if twin_of(event)]))
    payload = data.draw(hostile.of_model(event_type, ENVELOPE))
    event = event_type.model_validate({"id": "1", "source": "shop", **payload})
    value = dump(event)

    row = assert_same([(value, HEADERS)], event.topic).to_dicts()[0]

    assert (row["error"], row["content_hash"]) == (None, event.content_hash())
    assert parse(value) == event
    assert (row["canonical"] is None and not bulk([value], [HEADERS], event.topic).odd) or EXPONENT.search(value)


def test_rows_keep_their_order_whatever_they_are() -> None:
    thumb = ThumbGiven(id="t", source="s", target=Target(kind="trace", id="a"), author=Author(kind="human"), thumb=None)
    good, other, odd = (dump(comment(1)), HEADERS), (dump(thumb), HEADERS), (b"not json", ())

    frame = assert_same([odd, good, other, odd, other, good], "feedback")

    assert frame["event_id"].to_list() == [None, "comment-1", "t", None, "t", "comment-1"]
    assert frame["log_offset"].to_list() == [0, 1, 2, 3, 4, 5]


def test_a_report_without_a_target_keeps_its_columns_empty() -> None:
    known, unknown = (
        ReportFiled(id=f"{target}", source="s", target=target, author=Author(kind="human"), kind="dogfood", text="x")
        for target in (Target(kind="trace", id="a"), None)
    )
    frame = assert_same([(dump(known), HEADERS), (dump(unknown), HEADERS)], "feedback")
    assert frame.select("target_kind", "target_id").rows() == [("trace", "a"), (None, None)]
    assert not bulk([dump(known), dump(unknown)], [HEADERS] * 2, "feedback").odd


def test_only_events_that_carry_a_spec_a_plan_or_evidence_have_no_twin() -> None:
    # Few of them ever come.
    assert {event for event in EVENT_TYPES if twin_of(event) is None} == {
        CheckpointPromoted,
        CheckpointRefused,
        EvalSpecIssued,
        ExperimentStarted,
        JudgingSpecIssued,
        TrainingSpecIssued,
    }
