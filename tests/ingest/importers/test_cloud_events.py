"""CloudEvents as a file."""

import json
from typing import Any

import pytest

from ingest.importers.base import Refused
from models.events import dump
from models.events.response import ResponseServed
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target

THUMB = ThumbGiven(
    id="e1",
    source="web",
    target=Target(kind="response", id="r1"),
    author=Author(kind="human", id="u1"),
    thumb="down",
)


def test_each_event_goes_to_the_topic_of_its_type_and_a_copy_counts_once(place: Any) -> None:
    served = ResponseServed(id="e2", source="web", response_id="r1")
    lines = [dump(THUMB).decode(), dump(THUMB).decode(), dump(served).decode()]
    account = place.rows("cloudevents", lines)
    assert (account.accepted, account.duplicate) == (2, 1)
    (thumb,) = place.events("feedback")
    assert (thumb.id, thumb.source, thumb.import_row) == ("e1", "web", 1)
    assert thumb.content_hash() == THUMB.content_hash()
    assert len(place.events("responses")) == 1


def test_the_same_id_with_other_content_is_written_and_counted_for_quarantine(place: Any) -> None:
    other = THUMB.model_copy(update={"thumb": "up"})
    account = place.rows("cloudevents", [dump(THUMB).decode(), dump(other).decode()])
    assert (account.accepted, account.events, account.events_quarantined) == (2, 2, 1)
    assert len(place.events("feedback")) == 2
    again = place.rows("cloudevents", [dump(other).decode()], "again.jsonl")
    assert (again.duplicate, again.events) == (1, 0)


def test_version_1_is_upcast_and_an_unknown_type_refused(events_of: Any) -> None:
    row = json.loads(dump(THUMB))
    row["type"] = "feedback.thumb_given.v1"
    row["data"] = {**row["data"], "up": False}
    del row["data"]["thumb"]
    (thumb,) = events_of("cloudevents", row)
    assert thumb.thumb == "down"
    with pytest.raises(Refused, match=r"unknown event type 'com\.example\.erasure\.v1'"):
        events_of("cloudevents", {**row, "type": "com.example.erasure.v1"})
