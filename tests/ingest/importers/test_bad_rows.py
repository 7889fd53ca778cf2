"""Rows that can't be read: each is kept with its reason, and the file goes on."""

import json
from typing import Any

from ingest.importers.run import Account
from models.events.imports import RowRefused

GOOD = {"message_id": "m1", "emoji": "+1", "count": 1}


def balanced(account: Account) -> bool:
    return account.rows == account.accepted + account.duplicate + account.refused + account.without_feedback


def refusals(place: Any) -> list[RowRefused]:
    return [event for event in place.events("imports") if isinstance(event, RowRefused)]


def test_case_35_a_nul_refuses_its_row_and_the_batch_goes_on(place: Any) -> None:
    rows = [GOOD, '{"message_id":"m2","emoji":"a\\u0000b","count":1}', {**GOOD, "message_id": "m3"}]
    account = place.rows("oasst", rows)
    assert (account.accepted, account.refused) == (2, 1)
    assert balanced(account)
    assert account.reasons == {"emoji holds a NUL character": 1}
    (refusal,) = refusals(place)
    assert (refusal.row, refusal.reason) == (2, "emoji holds a NUL character")
    assert refusal.text == rows[1]


def test_a_raw_nul_a_cut_line_another_encoding_and_another_type(place: Any) -> None:
    path = place.files / "dirty.jsonl"
    lines = [
        json.dumps(GOOD).encode(),
        b'{"message_id": "m\xe9", "emoji": "+1", "count": 1}',
        b'{"message_id": "m\x00", "emoji": "+1", "count": 1}',
        b"",
        b"[1, 2]",
        b'{"message_id": "m4", "emoji": "+1", "count": NaN}',
        b'{"message_id": "m5", "emoji": "+',
    ]
    path.write_bytes(b"\r\n".join(lines))
    account = place.run("oasst", path)
    assert (account.rows, account.accepted, account.refused) == (6, 1, 5)
    assert [(refusal.row, refusal.reason.split(":")[0]) for refusal in refusals(place)] == [
        (2, "line 2 is not UTF-8 (byte 0xe9)"),
        (3, "not JSON"),
        (4, "not a JSON object but list"),
        (5, "not JSON"),
        (6, "not JSON"),
    ]


def test_a_line_that_is_too_long_is_refused_and_kept_in_part(place: Any) -> None:
    long = '{"message_id": "m2", "emoji": "' + "x" * (5 << 20) + '", "count": 1}'
    account = place.rows("oasst", [GOOD, long, {**GOOD, "message_id": "m3"}])
    assert (account.accepted, account.refused) == (2, 1)
    (refusal,) = refusals(place)
    assert refusal.reason == "line 2 is longer than 4 MiB"
    assert refusal.text.startswith('{"message_id": "m2"')
    assert len(refusal.text) < 11_000


def test_values_that_no_column_holds_refuse_their_row(place: Any) -> None:
    event = {"specversion": "1.0", "id": "1", "source": "s", "type": "feedback.thumb_given.v2"}
    target = {"target": {"kind": "trace", "id": "t"}, "author": {"kind": "human"}, "thumb": "up"}
    rows = [
        {**event, "data": target},
        {**event, "id": "2", "data": {**target, "sequence": 10**23}},
        {**event, "id": "3", "data": target, "time": "0001-01-01T00:00:00+14:00"},
        '{"id": ' + "[" * 100_000,
        '{"id": ' + "9" * 5_000 + "}",
    ]
    account = place.rows("cloudevents", rows)
    assert (account.accepted, account.refused) == (1, 4)
    assert all("\n" not in reason and len(reason) < 200 for reason in account.reasons)


def test_addresses_in_a_refused_row_become_pseudonyms(place: Any) -> None:
    place.table("Timestamp,Email,Text\n2026-11-03,a@example.com,fine\n01/02/2026,b@example.com,late\n")
    (refusal,) = refusals(place)
    assert "b@example.com" not in refusal.text
    assert refusal.text.endswith(",late")


def test_lone_surrogates_are_repaired_and_flagged(place: Any) -> None:
    row = {"id": "s1", "name": "note", "source": "API", "data_type": "TEXT", "trace_id": "t1"}
    place.rows("langfuse", [json.dumps({**row, "string_value": "bad \ud83d"})])
    (comment,) = place.events("feedback")
    assert (comment.text, comment.repaired) == ("bad \ufffd", True)


def test_an_empty_id_or_a_name_that_is_too_long_refuses_the_row(place: Any) -> None:
    account = place.rows("oasst", [GOOD, {**GOOD, "message_id": " "}, {**GOOD, "message_id": "m" * 600}])
    assert (account.accepted, account.refused) == (1, 2)
    assert any("at most 512 characters" in reason for reason in account.reasons)


def test_an_event_too_large_for_the_log_is_cut_with_a_marker(place: Any) -> None:
    row = {"message_id": "m1", "role": "assistant", "text": "é" * 900_000, "emojis": None}
    assert place.rows("oasst", [json.dumps(row, ensure_ascii=False)]).accepted == 1
    (served,) = place.events("responses")
    assert served.completion.startswith("ééé")
    assert served.completion.endswith("more characters]")


def test_an_event_whose_size_is_not_in_a_text_refuses_its_row(place: Any) -> None:
    event = {"specversion": "1.0", "id": "1", "source": "s", "type": "taxonomy.mode_proposed.v1"}
    mode = {
        "mode_id": "m", "discovery_id": "d", "name": "n", "terms": [], "centroid": [1.0], "cohesion": 1.0,
        "embedding": "e", "medoid_key": "a",
    }  # fmt: skip
    rows = [{**event, "data": {**mode, "member_keys": ["x" * 100] * size}} for size in (1, 20_000)]
    account = place.rows("cloudevents", rows)
    assert (account.accepted, account.refused) == (1, 1)
    assert "its size is not in a text that could be cut" in next(iter(account.reasons))


def test_a_row_that_is_nested_too_deeply_is_refused(place: Any) -> None:
    deep = '{"message_id": "m2", "emoji": ' + "[" * 700 + "]" * 700 + "}"
    account = place.rows("oasst", [GOOD, deep, {**GOOD, "message_id": "m3"}])
    assert (account.accepted, account.refused) == (2, 1)
    assert account.reasons == {"it is nested too deeply": 1}
