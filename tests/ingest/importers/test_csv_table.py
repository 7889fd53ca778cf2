"""Tables of people's making."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

from models.errors import TerminalError

DOGFOOD = (
    "\ufeffTimestamp;Email;Rating;What went wrong?;Link\r\n"
    '02/11/2026 23:59:59;A@example.com;2,5;"Line one\r\nline ""two"", with comma";https://example.com/t/1\r\n'
    '11/2/2026 11:59 PM;;;=IMPORTRANGE("x");\r\n'
    "2026-11-03;b@example.com;\U0001f44e;  ;trace 4bf92f…\r\n"
)


def test_a_dogfood_sheet_is_read_once_its_dates_are_told(place: Any) -> None:
    account = place.table(DOGFOOD, dates="dmy", scale="1..5")
    assert (account.rows, account.accepted, account.refused) == (3, 3, 0)
    reports = sorted(place.events("feedback"), key=lambda report: report.import_row)
    first, second, third = reports
    assert first.text == 'Line one\nline "two", with comma'
    assert (first.rating, first.scale_min, first.scale_max) == (2.5, 1.0, 5.0)
    assert first.occurred_at == datetime(2026, 11, 2, 23, 59, 59, tzinfo=UTC)
    assert first.author.id == sha256(b"a@example.com").hexdigest()[:16]
    assert first.link == "https://example.com/t/1"
    assert (second.text, second.rating, second.author.id) == ('=IMPORTRANGE("x")', None, None)
    assert second.occurred_at == datetime(2026, 2, 11, 23, 59, tzinfo=UTC)
    assert (third.text, third.rating, third.scale_max) == ("  ", 0.0, 1.0)
    assert {(report.kind, report.target) for report in reports} == {("dogfood", None)}


def test_a_date_that_could_be_two_days_is_refused_with_its_value(place: Any) -> None:
    account = place.table(DOGFOOD)
    assert (account.accepted, account.refused) == (1, 2)
    assert any("'02/11/2026 23:59:59' could be two different days: say --dates dmy" in why for why in account.reasons)


def test_a_zone_says_which_clock_the_sheet_was_written_by(place: Any) -> None:
    place.table("date,text\n2026-11-03 08:00,slow\n", zone="Asia/Seoul")
    (report,) = place.events("feedback")
    assert report.occurred_at == datetime(2026, 11, 2, 23, 0, tzinfo=UTC)


def test_with_a_target_a_row_is_a_thumb_a_rating_and_a_comment(place: Any) -> None:
    text = "response_id,thumb,score,comment,user,conversation\nr1,👎🏽,0,wrong,u1,c1\nr2,cleared,,,u2,c1\nr3,,,,u3,c1\n"
    account = place.table(text, map__conversation="conversation")
    assert (account.accepted, account.without_feedback) == (2, 1)
    events = place.events("feedback")
    assert [(event.target.id, event.thumb) for event in events if hasattr(event, "thumb")] == [
        ("r1", "down"),
        ("r2", None),
    ]
    assert [event.value for event in events if hasattr(event, "value")] == [0.0]
    assert [(event.text, event.metric) for event in events if hasattr(event, "text")] == [("wrong", "thumb")]
    assert [(event.response_id, event.conversation_id) for event in place.events("responses")] == [
        ("r1", "c1"),
        ("r2", "c1"),
    ]


def test_equal_anonymous_rows_stay_two_and_a_grown_file_adds_only_the_new(place: Any) -> None:
    rows = "trace id,vote\nt1,up\nt1,up\n"
    assert place.table(rows).accepted == 2
    account = place.table(rows + "t1,up\nt2,down\n")
    assert (account.accepted, account.duplicate) == (2, 2)
    assert {event.target.kind for event in place.events("feedback")} == {"trace"}


def test_a_row_with_an_id_may_change(place: Any) -> None:
    place.table("id,text,date\n7,slow,2026-11-01\n")
    account = place.table("id,text,date\n7,slow and wrong,2026-11-02\n")
    assert (account.accepted, account.events_quarantined) == (1, 0)
    assert {event.native_id for event in place.events("feedback")} == {"7"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"map__text": "Complaint"}, "has no column 'Complaint' for text: its columns are 'a', 'b'"),
        ({"map__txt": "a"}, r"no field 'txt' to map to \(did you mean 'text'\?\)"),
        ({}, "has no text, and no target with a rating or thumb: its columns are 'a', 'b'; say --map text=COLUMN"),
        ({"map__text": "a", "dates": "ymd"}, "no order of dates 'ymd': known are dmy, mdy, iso"),
        ({"map__text": "a", "zone": "Mars/Base"}, "no time zone 'Mars/Base'"),
        ({"map__text": "a", "scale": "five"}, "'five' is no scale"),
        ({"map__text": "a", "delimiter": ";;"}, "not one character"),
        ({"map__target": "a", "map__thumb": "b", "target_kind": "row"}, "no target kind 'row': known are response"),
    ],
)
def test_a_mapping_that_cannot_work_says_what_there_is(place: Any, options: dict[str, str], said: str) -> None:
    with pytest.raises(TerminalError, match=said):
        place.table("a,b\n1,2\n", **options)
    assert place.log.topics() == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(place: Any, delimiter: str) -> None:
    place.table(delimiter.join(["text", "rating", "email"]) + "\n" + delimiter.join(["bad", "3", "u"]) + "\n")
    (report,) = place.events("feedback")
    assert (report.text, report.rating, report.author.id) == ("bad", 3.0, "u")


def test_rows_that_break_the_table_are_refused_alone(place: Any) -> None:
    path = place.files / "dirty.csv"
    path.write_bytes(b'text,rating\nfine,1\ntoo,many,cells\ncaf\xe9,2\nn\x00l,3\n\n,\nshort\nok,"5\n')
    account = place.run("csv", path)
    assert (account.rows, account.accepted, account.without_feedback, account.refused) == (7, 2, 1, 4)
    reasons = " / ".join(account.reasons)
    for said in ("3 cells, but the header names 2", "line 4 is not UTF-8 (byte 0xe9)", "line 5 holds a NUL", "quote"):
        assert said in reasons


def test_two_columns_of_one_name_are_refused(place: Any) -> None:
    with pytest.raises(TerminalError, match="several columns named 'text'"):
        place.table("text,text\na,b\n")
