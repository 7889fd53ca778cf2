"""CloudEvents of other producers."""

from typing import Any

import pytest

from ingest.importers.base import Refused
from models.errors import TerminalError

THUMB: dict[str, Any] = {
    "specversion": "1.0",
    "id": "e1",
    "source": "/web/chat",
    "type": "com.example.feedback.thumb.set.v1",
    "subject": "m1",
    "time": "2026-11-02T23:59:59.9Z",
    "data": {"rating": "down", "message_id": "m1", "user_id": "u1"},
}
BINARY: dict[str, Any] = {
    "key": "u1",
    "headers": {f"ce_{name}": THUMB[name] for name in ("specversion", "id", "source", "type", "time")},
    "value": {"rating": "down", "message_id": "m1"},
}
TYPES = """
[[types]]
type = "org.acme.vote.v3"
means = "thumb"
value = "data.liked"
target = "data.answer.id"
target_kind = "response"
author = "data.who"
"""


def test_a_thumb_its_retraction_and_an_erasure_keep_their_ids(events_of: Any) -> None:
    cleared = {**THUMB, "id": "e2", "type": "com.example.feedback.thumb.cleared.v1"}
    erasure = {**THUMB, "id": "e3", "type": "com.example.privacy.erasure.requested.v1"}
    thumb, clear, erase = events_of("cloudevents", THUMB, cleared, erasure)
    assert [(event.source, event.id) for event in (thumb, clear, erase)] == [("/web/chat", f"e{n}") for n in (1, 2, 3)]
    assert (thumb.thumb, thumb.target.kind, thumb.target.id, thumb.author.id) == ("down", "message", "m1", "u1")
    assert (clear.thumb, clear.author.id, erase.person_id) == (None, "u1", "u1")


def test_a_duplicate_is_counted_in_both_modes_and_a_tombstone_is_refused(place: Any) -> None:
    account = place.rows("cloudevents", [THUMB, THUMB])
    assert (account.accepted, account.duplicate) == (1, 1)
    dump = place.rows("cloudevents", [BINARY, {"key": "u1", "headers": {"ce_id": "e9"}, "value": None}], "dump.jsonl")
    assert (dump.accepted, dump.duplicate, dump.refused) == (0, 1, 1)
    assert "a tombstone of key 'u1'" in next(iter(dump.reasons))
    assert len(place.events("feedback")) == 1


def test_a_home_has_types_of_its_own(events_of: Any) -> None:
    row = {
        **THUMB,
        "type": "org.acme.vote.v3",
        "data": {"liked": True, "answer": {"id": "r7"}, "who": "me@example.com"},
    }
    (thumb,) = events_of("cloudevents", row, values=TYPES)
    assert (thumb.thumb, thumb.target.kind, thumb.target.id) == ("up", "response", "r7")
    assert "@" not in thumb.author.id


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "com.example.order.placed.v1"}, "unknown event type 'com.example.order.placed.v1'"),
        ({"data": {"rating": "meh", "message_id": "m"}}, "'meh' is neither up nor down"),
        ({"data": {"rating": "up"}, "subject": None}, "names no target: data.message_id is empty"),
        ({"type": "com.example.privacy.erasure.requested.v1", "data": {}}, "names nobody"),
    ],
)
def test_what_no_table_tells_is_refused(events_of: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        events_of("cloudevents", {**THUMB, **change})


def test_a_table_of_types_that_cannot_be_read(events_of: Any) -> None:
    with pytest.raises(TerminalError, match="'vote' is none of thumb"):
        events_of("cloudevents", THUMB, values='[[types]]\ntype = "a"\nmeans = "vote"')
