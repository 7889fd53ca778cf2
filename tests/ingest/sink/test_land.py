import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.lake.columns import schema
from ingest.log import Record
from ingest.sink import rows
from models.events import dump, parse
from tests.ingest.sink.written import comment

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def record(value: bytes, offset: int = 0, headers: tuple[tuple[str, bytes], ...] = ()) -> Record:
    return Record("feedback", 2, offset, b"key", value, headers, NOW + timedelta(microseconds=offset))


def changed(**fields: Any) -> bytes:
    """A comment with some attributes or payload fields changed, as a producer that is not ours might write it."""
    envelope: dict[str, Any] = json.loads(dump(comment(1)))
    for name, value in fields.items():
        (envelope if name in envelope or name == "time" else envelope["data"])[name] = value
    return json.dumps(envelope).encode()


def only(value: bytes, headers: tuple[tuple[str, bytes], ...] = ()) -> dict[str, Any]:
    """The row of one record, which stands between two good ones that must be as they are."""
    good = record(dump(comment(0)))
    frame = rows([good, record(value, 7, headers), good], "feedback")
    assert frame["error"].is_null().to_list()[::2] == [True, True]
    return frame.to_dicts()[1]


def test_an_event_is_a_row_with_its_columns_and_its_bytes_which_are_kept_once() -> None:
    event = comment(1, "zu lang 🙂").model_copy(update={"occurred_at": NOW, "import_id": "i", "import_row": 3})
    spaced = json.dumps(json.loads(dump(event)), indent=2).encode()

    row = only(spaced, (("content-type", b"application/cloudevents+json"),))

    expected = {
        "topic": "feedback", "log_partition": 2, "log_offset": 7, "received_at": NOW + timedelta(microseconds=7),
        "event_id": "comment-1", "source": "test", "type": "feedback.comment_left.v1", "occurred_at": NOW,
        "import_id": "i", "import_row": 3, "repaired": False, "content_hash": event.content_hash(), "error": None,
        "record_key": b"key", "raw": spaced, "canonical": None, "text": "zu lang 🙂",
        "record_headers": '[["content-type", "YXBwbGljYXRpb24vY2xvdWRldmVudHMranNvbg=="]]',
        "target_kind": "response", "target_id": "response-1", "author_kind": "human", "author_id": None, "value": None,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_rows_have_the_schema_of_the_topic_whatever_they_hold() -> None:
    for records in ([], [record(b"x")], [record(dump(comment(1)))]):
        assert rows(records, "feedback").schema == schema("feedback")


def test_an_old_version_lands_in_its_newest_form_and_keeps_its_bytes() -> None:
    old = changed(type="feedback.thumb_given.v1", metric="thumb", up=False)

    row = only(old)

    assert (row["type"], row["thumb"], row["raw"]) == ("feedback.thumb_given.v2", "down", old)
    assert parse(row["canonical"].encode()).type == "feedback.thumb_given.v2"


def test_an_event_of_another_topic_is_told_where_it_belongs() -> None:
    frame = rows([record(dump(comment(1)))], "jobs")
    assert frame["error"].to_list() == ["feedback.comment_left.v1 belongs on topic feedback, and came on jobs"]
    assert frame["event_id"].null_count() == 1


def test_case_34_a_lone_surrogate_lands_repaired_and_flagged() -> None:
    row = only(dump(comment(1)).replace(b"too long", b"bad \\ud83d"))
    assert (row["text"], row["repaired"], row["error"]) == ("bad �", True, None)


def test_case_35_a_nul_goes_to_quarantine_and_the_batch_continues() -> None:
    row = only(changed(text="a\0b"))
    assert row["error"] == "data.text holds a NUL character"
    assert row["canonical"] is None


POISON = {
    "nothing": b"",
    "not json": b"not json",
    "not an object": b"[1]",
    "not utf-8": b"\xff",
    "nested without end": b'{"specversion":"1.0","data":' + b"[" * 200_000,
    "nested to the limit": b'{"a":"\\ud83d","b":' + b"[" * 900 + b"]" * 900 + b"}",
    "a number without end": changed(sequence=1).replace(b'"sequence": 1', b'"sequence": ' + b"9" * 5_000),
    "an integer beyond 64 bits": changed(sequence=10**30),
    "an import row beyond 64 bits": b'{"importrow": 9223372036854775808, ' + changed()[1:],
    "a time before the year 1": changed(time="0001-01-01T00:00:00+14:00"),
    "a time after the year 9999": changed(time="9999-12-31T23:59:59-14:00"),
    "a time without a zone": changed(time="2026-01-01T00:00:00"),
    "not a number": changed(type="feedback.score_given.v1", metric="m", data_type="numeric", value=float("nan")),
    "half a surrogate in a name that holds a NUL": b'{"\\ud83d":"\\u0000"}',
    "lines in the type": changed(type="a\nb\r\nc"),
}  # fmt: skip


@pytest.mark.parametrize("value", POISON.values(), ids=POISON.keys())
def test_case_38_whatever_a_record_holds_the_records_beside_it_land(value: bytes) -> None:
    row = only(value)

    assert row["error"]
    assert "\n" not in row["error"]
    assert row["raw"] == value
    assert [name for name, content in row.items() if content is not None] == [
        "topic", "log_partition", "log_offset", "received_at", "error", "record_key", "record_headers", "raw",
    ]  # fmt: skip


def test_an_import_row_in_a_header_that_is_no_number_is_left_out() -> None:
    headers = tuple(
        (f"ce_{name}", value.encode())
        for name, value in {
            "specversion": "1.0", "id": "1", "source": "s", "type": "feedback.comment_left.v1", "importrow": "²",
        }.items()
    )  # fmt: skip
    assert only(json.dumps(json.loads(dump(comment(1)))["data"]).encode(), headers)["error"] is None


def test_not_a_number_in_a_specs_arguments_has_no_canonical_form() -> None:
    spec: dict[str, Any] = {
        "key": "train:all:judge", "evidence": [], "data": {"sha256": "a" * 64, "rows": 1}, "query": "q",
        "taxonomy": "t",
        "method": "judge", "role": "judge", "args": {"rate": float("nan")}, "budget_s": 1.0,
    }  # fmt: skip
    value = changed(type="spec.training_issued.v1", spec_id="s", spec_key="train:all:judge", revision=1, spec=spec)
    assert parse(value)
    (error,) = rows([record(value)], "specs")["error"]
    assert error.startswith("has no canonical form: Out of range float values")
