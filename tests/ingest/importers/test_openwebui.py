"""Open WebUI: no field that a person typed or picked is lost."""

from datetime import UTC, datetime
from typing import Any

ROW: dict[str, Any] = {
    "id": "f1",
    "user_id": "u1",
    "version": 0,
    "type": "rating",
    "data": {
        "rating": -1,
        "model_id": "m-x",
        "sibling_model_ids": None,
        "reason": "didnt_follow_instructions",
        "comment": "it ignored the second half",
        "tags": ["Tests", "Style"],
        "details": {"rating": 3},
    },
    "meta": {"arena": False, "chat_id": "c1", "message_id": "m1", "tags": ["code"]},
    "snapshot": None,
    "created_at": 1793750399,
    "updated_at": 1793750400,
}


def test_case_32_every_field_that_a_person_typed_arrives_in_an_event(events_of: Any) -> None:
    served, *said = events_of("openwebui", ROW)
    assert (served.message_id, served.conversation_id, served.model) == ("m1", "c1", "m-x")
    everything = " ".join(str(event.payload()) for event in said)
    typed = ["didnt_follow_instructions", "it ignored the second half", "Tests", "Style", "3.0", "down", "code"]
    assert [text for text in typed if text not in everything] == []
    by_metric = {event.metric: event for event in said if not hasattr(event, "thumb")}
    assert by_metric["thumb"].text == "it ignored the second half"
    assert by_metric["reason"].text == "didnt_follow_instructions"
    assert (by_metric["rating"].value, by_metric["rating"].scale_max) == (3.0, 10.0)
    assert {event.native_id for event in said} == {"f1"}
    assert by_metric["chat_tags"].author.kind == "llm"


def test_a_rating_is_a_number_or_a_text_and_a_time_is_in_seconds(events_of: Any) -> None:
    thumbs = [
        event.thumb
        for rating in (1, "1", "-1", -1.0, None)
        for event in events_of("openwebui", {**ROW, "data": {**ROW["data"], "rating": rating}})
        if hasattr(event, "thumb")
    ]
    assert thumbs == ["up", "up", "down", "down", None]
    thumb = events_of("openwebui", ROW)[1]
    assert thumb.occurred_at == datetime(2026, 11, 4, 0, 0, tzinfo=UTC)


def test_an_arenas_thumb_is_a_preference_over_the_models_beside_it(events_of: Any) -> None:
    arena = {**ROW, "data": {"rating": "1", "model_id": "a", "sibling_model_ids": ["b", "c"]}}
    preferences = [event for event in events_of("openwebui", arena) if hasattr(event, "choice")]
    assert [(event.first.id, event.second.id, event.choice) for event in preferences] == [
        ("m1", "m1/b", "first"),
        ("m1", "m1/c", "first"),
    ]
    assert len({event.id for event in preferences}) == 2
