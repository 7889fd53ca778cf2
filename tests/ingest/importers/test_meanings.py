"""What a value means, by producer and version."""

from typing import Any

import pytest

from ingest.importers.base import Refused
from ingest.importers.meanings import read_meanings
from models.errors import TerminalError

OURS = """
[[values]]
producer = "Acme"
from = "2"
until = "3.1"
up = ["yes", 1]
down = ["no"]
"""


def test_case_11_zero_was_cleared_and_is_down_since(place: Any) -> None:
    rows = "target,vote,user,version\nr1,0,u1,1.0\nr1,0,u2,1.1\nr1,-1,u3,v1.0.5\nr1,1,u4,2.0\n"
    account = place.table(rows, producer="chainlit")
    assert account.refused == 0
    assert {event.author.id: event.thumb for event in place.events("feedback")} == {
        "u1": None,
        "u2": "down",
        "u3": "down",
        "u4": "up",
    }


def test_case_11_an_unknown_version_and_an_unknown_value_are_refused(place: Any) -> None:
    rows = "target,vote,version\nr1,0,\nr1,0,none\nr1,-1,1.1\nr1,0,1.0\n"
    account = place.table(rows, producer="chainlit")
    assert (account.accepted, account.refused) == (1, 3)
    reasons = sorted(account.reasons)
    assert "chainlit from 1.1 has no value '-1': known are 0, 1" in reasons[0]
    assert all("what '0' means in chainlit" in reason and "say it in a table" in reason for reason in reasons[1:])


def test_the_version_of_the_whole_file_stands_in_where_rows_do_not_say(place: Any) -> None:
    place.table("target,vote,version\nr1,0,\nr2,0,1.1\n", producer="chainlit", version="1.0")
    assert [event.thumb for event in place.events("feedback")] == [None, "down"]


def test_the_persons_table_comes_first_and_a_producer_without_one_stops_the_import(place: Any) -> None:
    place.table("target,vote,version\nr1,yes,2.0\nr2,no,3.0.9\n", producer="acme", values=OURS)
    assert [event.thumb for event in place.events("feedback")] == ["up", "down"]
    with pytest.raises(TerminalError, match="producer 'acme' mean is not known: known are chainlit, openwebui"):
        place.table("target,vote\nr1,yes\n", producer="acme")


@pytest.mark.parametrize(
    ("version", "known"), [("1.9", False), ("2", True), ("2.0.0", True), ("3.1", False), ("3.0.99", True), ("x", False)]
)
def test_a_range_has_its_first_version_and_not_its_last(version: str, known: bool) -> None:
    thumb, fault = read_meanings(OURS).thumb("ACME", version, "1.0")
    assert (thumb == "up", fault is None) == (known, known)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[values]", "can't be read"),
        ("up = 1", r"has no \[\[values\]\]"),
        ('[[values]]\nup = ["1"]', "names no producer"),
        ('[[values]]\nproducer = "a"\ndwn = ["1"]', "knows no dwn"),
        ('[[values]]\nproducer = "a"\nfrom = "new"', "say it as in 1.1"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(text: str, said: str) -> None:
    with pytest.raises(TerminalError, match=said):
        read_meanings(text)


def test_a_row_of_a_known_tool_is_read_by_its_own_version(events_of: Any) -> None:
    row = {
        "id": "f",
        "user_id": "u",
        "type": "rating",
        "version": 7,
        "data": {"rating": 0},
        "meta": {"message_id": "m"},
    }
    with pytest.raises(Refused, match="what 0 means in openwebui 7 is not known"):
        events_of("openwebui", row)
