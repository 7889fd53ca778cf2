"""The contract holds for every event type: one door in each direction, additive changes, four kinds of nothing."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import BadEvent
from models.events import EVENT_TYPES, AnyEvent, dump, parse, type_name
from models.events.base import Event
from models.events.comment import CommentLeft
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.ids import canonical_json, event_id
from models.topics import TOPICS

TARGET = Target(kind="trace", id="t1")
AUTHOR = Author(kind="human", id="u1")


def envelope(type_: str, data: dict[str, Any], **attributes: Any) -> bytes:
    return canonical_json(
        {"specversion": "1.0", "id": "e1", "source": "app", "type": type_, "data": data, **attributes}
    ).encode()


def comment(text: str, **attributes: Any) -> bytes:
    data = {"target": {"kind": "trace", "id": "t1"}, "author": {"kind": "human", "id": "u1"}, "text": text}
    return envelope("feedback.comment_left.v1", data, **attributes)


def test_every_event_type_is_a_fact_with_a_topic_a_key_and_a_version():
    names = [type_name(event) for event in EVENT_TYPES]
    assert len(set(names)) == len(names)
    for event in EVENT_TYPES:
        assert event.topic in TOPICS
        assert event.key_field in event.model_fields
        assert type_name(event).rsplit(".v", 1)[1].isdigit()
        assert (event.__doc__ or "").strip()
        assert event.model_config.get("frozen")


def test_every_family_file_is_in_the_union():
    defined = set(Event.__subclasses__())
    assert defined == set(EVENT_TYPES)
    assert get_args(AnyEvent)


@given(
    st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    st.none() | st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2060, 1, 1), timezones=st.just(UTC)),
)
def test_what_is_dumped_parses_to_the_same_event(text: str, moment: datetime | None):
    event = CommentLeft(id="e", source="s", occurred_at=moment, target=TARGET, author=AUTHOR, text=text)
    assert parse(dump(event)) == event
    assert dump(parse(dump(event))) == dump(event)


def test_version_1_of_a_thumb_becomes_version_2():
    data = {"target": {"kind": "trace", "id": "t1"}, "author": {"kind": "human", "id": None}, "up": False}
    event = parse(envelope("feedback.thumb_given.v1", data))
    assert isinstance(event, ThumbGiven)
    assert (event.type, event.thumb, event.author.id) == ("feedback.thumb_given.v2", "down", None)


def test_a_later_minor_addition_still_parses():
    event = parse(comment("ok", traceparent="00-abc"))
    assert isinstance(event, CommentLeft)
    assert event.text == "ok"


def test_binary_mode_is_read():
    headers = (
        ("ce_specversion", b"1.0"), ("ce_id", b"e9"), ("ce_source", b"app"), ("ce_type", b"feedback.comment_left.v1"),
        ("ce_time", b"2026-11-02T23:30:00+08:00"), ("content-type", b"application/json"),
    )  # fmt: skip
    value = b'{"target":{"kind":"span","id":"s"},"author":{"kind":"llm","id":"j"},"text":"x"}'
    event = parse(value, headers)
    assert event.id == "e9"
    assert event.occurred_at == datetime(2026, 11, 2, 15, 30, tzinfo=UTC)


BINARY = (
    ("ce_specversion", b"1.0"), ("ce_id", b"e9"), ("ce_source", b"app"), ("ce_type", b"feedback.comment_left.v1"),
)  # fmt: skip


def test_case_34_binary_mode_is_repaired_and_flagged_too():
    value = b'{"target":{"kind":"span","id":"s"},"author":{"kind":"llm","id":"j"},"text":"bad \\ud83d"}'
    event = parse(value, BINARY)
    assert isinstance(event, CommentLeft)
    assert (event.text, event.repaired) == ("bad \ufffd", True)
    assert not parse(value.replace(b"\\ud83d", b"repaired"), BINARY).repaired


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (("ce_id", b"a\x00b"), "header ce_id holds a NUL character"),
        (("ce_source", b"\xed\xa0\xbd"), "header ce_source is not UTF-8: byte 0xed at 0"),
    ],
)
def test_case_35_headers_are_looked_at_like_the_rest(header: tuple[str, bytes], reason: str):
    value = b'{"target":{"kind":"span","id":"s"},"author":{"kind":"llm","id":"j"},"text":"x"}'
    with pytest.raises(BadEvent, match=reason):
        parse(value, (*BINARY, header))


def test_ids_that_name_files_lead_nowhere_else():
    registered: dict[str, Any] = {
        "checkpoint_id": "judge-1.2_b",
        "role": "judge",
        "method": "judge",
        "path": "checkpoints/judge-1.2_b",
    }
    claimed: dict[str, Any] = {"job_id": "job-1", "epoch": 1, "owner": "w"}
    spec: dict[str, Any] = {
        "key": "k",
        "evidence": [],
        "query": "q",
        "taxonomy": "t",
        "checkpoint_id": "j",
        "metric": "m",
    }
    issued: dict[str, Any] = {
        "spec_id": "s",
        "spec_key": "k",
        "revision": 1,
        "spec": {**spec, "data": {"sha256": "0" * 64, "rows": 1}},
    }
    assert parse(envelope("checkpoint.registered.v1", registered))
    assert parse(envelope("checkpoint.registered.v1", {**registered, "checkpoint_id": "org/model"}))
    assert parse(envelope("job.claimed.v1", claimed))
    assert parse(envelope("spec.judging_issued.v1", issued))
    for bad in ("../x", "/etc/passwd", "a/b", "..", ".hidden", "", "a\n", "x" * 129, "a\\b"):
        with pytest.raises(BadEvent, match="job_id"):
            parse(envelope("job.claimed.v1", {**claimed, "job_id": bad}))
        data = {"data": {"sha256": bad, "rows": 1}}
        with pytest.raises(BadEvent, match="sha256"):
            parse(envelope("spec.judging_issued.v1", {**issued, "spec": {**spec, **data}}))
    for bad in ("../x", "/etc/passwd", "checkpoints/../../x", "a//b", "a/", "", "a/.ssh"):
        with pytest.raises(BadEvent, match="path"):
            parse(envelope("checkpoint.registered.v1", {**registered, "path": bad}))


def test_case_19_a_time_is_kept_in_utc_and_converted_once():
    zone = timezone(timedelta(hours=8))
    event = ThumbGiven(
        id="1",
        source="a",
        occurred_at=datetime(2026, 11, 2, 23, 30, tzinfo=zone),
        target=TARGET,
        author=AUTHOR,
        thumb="up",
    )
    assert b'"time":"2026-11-02T15:30:00Z"' in dump(event)


def test_case_28_zero_false_empty_and_null_stay_four_answers():
    fields: list[dict[str, Any]] = [
        {"data_type": "numeric", "value": 0},
        {"data_type": "boolean", "value": 0},
        {"data_type": "categorical", "label": ""},
        {"data_type": "numeric", "value": None, "status": "skipped"},
    ]
    base = {"id": "s", "source": "a", "target": TARGET, "author": AUTHOR, "metric": "m"}
    scores = [ScoreGiven.model_validate({**base, **each}) for each in fields]
    assert len({parse(dump(score)).content_hash() for score in scores}) == 4


def test_case_34_a_lone_surrogate_is_replaced_and_flagged():
    event = parse(comment("bad X").replace(b"X", b"\\ud83d"))
    assert isinstance(event, CommentLeft)
    assert event.text == "bad �"
    assert event.repaired
    assert parse(dump(event)) == event


def test_a_whole_emoji_is_left_alone():
    event = parse(comment("bad X").replace(b"X", b"\\ud83d\\ude21"))
    assert isinstance(event, CommentLeft)
    assert (event.text, event.repaired) == ("bad 😡", False)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", "the record is empty"),
        (b"not json", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8: byte 0xff at 7"),
        (b"[1]", "not a JSON object but list"),
        (b"{}", "specversion is None"),
        (envelope("feedback.shrug_given.v1", {}), "unknown event type 'feedback.shrug_given.v1'"),
        (envelope("feedback.thumb_given.v1", {}), "can't be brought to its newest version"),
        (comment("a").replace(b'"kind":"trace"', b'"kind":"trase"'), "target.kind"),
        (comment("a", time="2026-11-02T10:00:00"), "has no zone"),
        (comment("a", time="soon"), "not RFC 3339"),
        (comment("aXb").replace(b"X", b"\\u0000"), "data.text holds a NUL character"),
        (comment("a").replace(b'"id":"e1"', b'"id":""'), "id"),
        (b'{"a":' * 100_000, "not JSON"),
    ],
)
def test_what_is_no_event_is_refused_with_a_reason_in_one_line(value: bytes, reason: str):
    with pytest.raises(BadEvent) as refusal:
        parse(value)
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_ids_tell_parts_apart():
    assert event_id("a", "bc") != event_id("ab", "c")
    assert event_id("a", None) != event_id("a", "null")
    assert event_id("a", 1) == event_id("a", 1)


def test_content_says_nothing_of_how_it_came():
    first = CommentLeft(id="1", source="s", target=TARGET, author=AUTHOR, text="x", import_id="i1", import_row=1)
    again = first.model_copy(update={"import_id": "i2", "import_row": 9})
    other = first.model_copy(update={"text": "y"})
    assert first.content_hash() == again.content_hash() != other.content_hash()
