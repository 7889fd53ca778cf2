"""Langfuse scores, in both spellings."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ingest.importers.base import Refused

ROW: dict[str, Any] = {
    "id": "sc-1",
    "timestamp": "2026-11-02 23:59:59.900000",
    "project_id": "p1",
    "trace_id": "t1",
    "observation_id": None,
    "session_id": "c1",
    "name": "user-feedback",
    "value": 0,
    "source": "API",
    "comment": "Wrong file \U0001f621",
    "data_type": "BOOLEAN",
    "string_value": "False",
    "author_user_id": None,
    "metadata": {"user_id": "u1"},
}


def feedback(events: list[Any]) -> list[Any]:
    return [event for event in events if event.topic == "feedback"]


def test_a_users_boolean_is_a_thumb_its_time_utc_its_trace_a_response(events_of: Any) -> None:
    served, thumb, comment = events_of("langfuse", ROW)
    assert (served.response_id, served.trace_id, served.conversation_id, served.completion) == ("t1", "t1", "c1", None)
    assert (thumb.thumb, thumb.metric, thumb.native_id, thumb.author.id) == ("down", "user-feedback", "sc-1", "u1")
    assert (thumb.target.kind, thumb.target.id) == ("trace", "t1")
    assert thumb.occurred_at == datetime(2026, 11, 2, 23, 59, 59, 900_000, UTC)
    assert (comment.text, comment.metric) == ("Wrong file \U0001f621", "user-feedback")


def test_case_1_a_revote_on_the_next_day_is_two_events_of_one_voter(events_of: Any) -> None:
    later = {**ROW, "timestamp": "2026-11-03 00:05:00", "value": 1, "string_value": "True", "comment": None}
    first, second = (event for event in events_of("langfuse", ROW, later) if event.type.startswith("feedback.thumb"))
    assert first.id != second.id
    assert (first.native_id, first.author, first.target, first.metric, first.source) == (
        second.native_id,
        second.author,
        second.target,
        second.metric,
        second.source,
    )
    assert second.occurred_at > first.occurred_at


def test_case_12_a_user_and_a_reviewer_are_two_sources(events_of: Any) -> None:
    reviewed = {**ROW, "id": "sc-9", "source": "ANNOTATION", "value": 1, "author_user_id": "u1", "comment": None}
    user, reviewer = (event for event in events_of("langfuse", ROW, reviewed) if hasattr(event, "thumb"))
    assert (user.source, reviewer.source) == ("import/langfuse/p1/api", "import/langfuse/p1/annotation")
    assert (user.thumb, reviewer.thumb) == ("down", "up")


def test_case_13_a_score_without_an_id_gets_one_from_its_content(place: Any) -> None:
    row = {"name": "x", "value": 1, "traceId": "t1", "dataType": "NUMERIC", "source": "API"}
    account = place.rows("langfuse", [row, row, {**row, "value": 0}])
    assert account.accepted == account.rows == 3
    scores = place.events("feedback")
    assert sorted(score.value for score in scores) == [0.0, 1.0, 1.0]
    assert len({score.id for score in scores}) == 3
    again = place.rows("langfuse", [row, row, {**row, "value": 0}, row], "grown.jsonl")
    assert (again.accepted, again.duplicate) == (1, 3)


def test_case_19_an_offset_is_turned_into_utc_once(events_of: Any) -> None:
    (_, thumb, _) = events_of("langfuse", {**ROW, "timestamp": "2026-11-02T23:30:00+08:00"})
    assert thumb.occurred_at == datetime(2026, 11, 2, 15, 30, tzinfo=UTC)


def test_case_28_zero_false_empty_and_null_are_four_states(events_of: Any) -> None:
    plain = {**ROW, "name": "quality", "comment": None, "trace_id": None, "string_value": None}
    states = [
        ("NUMERIC", 0, ("numeric", 0.0, None, "scored")),
        ("NUMERIC", None, ("numeric", None, None, "skipped")),
        ("BOOLEAN", False, ("boolean", 0.0, None, "scored")),
        ("CATEGORICAL", "", ("categorical", None, "", "scored")),
        ("CATEGORICAL", None, ("categorical", None, None, "skipped")),
        ("CORRECTION", "use pathlib", ("correction", None, "use pathlib", "scored")),
    ]
    for data_type, value, expected in states:
        (score,) = events_of("langfuse", {**plain, "data_type": data_type, "value": value})
        assert (score.data_type, score.value, score.label, score.status) == expected


def test_case_31_an_empty_comment_is_one_and_a_missing_one_is_none(events_of: Any) -> None:
    texts = {
        comment: [event.text for event in events_of("langfuse", {**ROW, "comment": comment}) if hasattr(event, "text")]
        for comment in ("too slow", "", None)
    }
    assert texts == {"too slow": ["too slow"], "": [""], None: []}


def test_case_8_a_vote_that_was_withdrawn_is_cleared_not_down(events_of: Any) -> None:
    _, thumb = events_of("langfuse", {**ROW, "value": None, "string_value": None, "comment": None})
    assert thumb.thumb is None


@pytest.mark.parametrize(
    ("source", "name", "kind"),
    [("EVAL", "faithfulness", "llm"), ("ANNOTATION", "helpful", "human"), ("API", "toxicity", "code")],
)
def test_who_scored(events_of: Any, source: str, name: str, kind: str) -> None:
    row: dict[str, Any] = {
        **ROW,
        "source": source,
        "name": name,
        "data_type": "NUMERIC",
        "value": 0.0,
        "metadata": {},
        "comment": None,
    }
    assert events_of("langfuse", row)[1].author.kind == kind


@pytest.mark.parametrize(
    ("subject", "target"),
    [
        ({"kind": "trace", "id": "t9"}, ("trace", "t9")),
        ({"kind": "observation", "id": "o9", "traceId": "t9"}, ("span", "o9")),
        ({"kind": "session", "id": "c9"}, ("conversation", "c9")),
    ],
)
def test_the_subject_of_api_version_3(events_of: Any, subject: dict[str, str], target: tuple[str, str]) -> None:
    row = {"id": "s", "name": "n", "source": "API", "dataType": "NUMERIC", "value": 1, "subject": subject}
    (event,) = feedback(events_of("langfuse", row))
    assert (event.target.kind, event.target.id) == target


def test_a_score_on_nothing_is_refused(events_of: Any) -> None:
    with pytest.raises(Refused, match="names no trace, observation or session"):
        events_of("langfuse", {"id": "s", "name": "n", "source": "API", "dataType": "NUMERIC", "value": 1})
