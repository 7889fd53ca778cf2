"""LangSmith feedback."""

from typing import Any

import pytest

from ingest.importers.base import Refused

ROW: dict[str, Any] = {
    "id": "f1",
    "created_at": "2026-11-02T23:59:59.900000+00:00",
    "modified_at": "2026-11-03T01:00:00+00:00",
    "session_id": "project-1",
    "run_id": "r1",
    "trace_id": "r1",
    "key": "user_score",
    "score": 0.0,
    "value": None,
    "comment": "no such function",
    "correction": {"output": "use client.list()"},
    "feedback_source": {"type": "app", "metadata": {}, "user_id": "u1"},
}


def test_a_row_is_a_thumb_a_comment_and_a_correction(events_of: Any) -> None:
    served, thumb, comment, correction = events_of("langsmith", ROW)
    assert (served.response_id, served.trace_id, served.conversation_id) == ("r1", "r1", None)
    assert (thumb.thumb, thumb.author.id, thumb.target.kind) == ("down", "u1", "trace")
    assert thumb.occurred_at.hour == 1
    assert comment.text == "no such function"
    assert (correction.data_type, correction.label, correction.metric) == (
        "correction",
        "use client.list()",
        "correction",
    )


def test_case_2_a_changed_vote_is_a_second_event_of_the_same_voter(events_of: Any) -> None:
    bare = {**ROW, "comment": None, "correction": None}
    _, first, _, second = events_of("langsmith", bare, {**bare, "score": 1.0, "modified_at": "2026-11-03T02:00:00Z"})
    assert (first.thumb, second.thumb) == ("down", "up")
    assert first.id != second.id
    assert (first.native_id, first.author, first.metric) == (second.native_id, second.author, second.metric)


def test_a_model_scores_with_a_label_and_two_authorities_stay_apart(events_of: Any) -> None:
    row = {**ROW, "key": "correctness", "score": None, "value": "incorrect", "feedback_source": {"type": "model"}}
    _, score, *_ = events_of("langsmith", row)
    assert (score.data_type, score.label, score.author.kind) == ("categorical", "incorrect", "llm")
    assert score.source == "import/langsmith/project-1/model"


def test_a_comment_alone_withdraws_no_vote_and_a_bare_null_does(events_of: Any) -> None:
    alone = events_of("langsmith", {**ROW, "score": None, "correction": None})
    assert [event.type for event in alone] == ["response.served.v1", "feedback.comment_left.v1"]
    _, cleared = events_of("langsmith", {**ROW, "score": None, "comment": None, "correction": None})
    assert cleared.thumb is None


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (0, ("numeric", 0.0, None, "scored")),
        (False, ("boolean", 0.0, None, "scored")),
        ("", ("categorical", None, "", "scored")),
        (None, ("numeric", None, None, "skipped")),
        ({"a": 1}, ("categorical", None, '{"a":1}', "scored")),
    ],
)
def test_case_28_four_states_of_any_other_key(events_of: Any, score: Any, expected: tuple[Any, ...]) -> None:
    row = {**ROW, "key": "quality", "score": score, "comment": None, "correction": None}
    _, event = events_of("langsmith", row)
    assert (event.data_type, event.value, event.label, event.status) == expected


def test_a_child_run_is_a_span_and_a_project_is_no_target(events_of: Any) -> None:
    assert events_of("langsmith", {**ROW, "run_id": "child"})[1].target.kind == "span"
    with pytest.raises(Refused, match="on a project"):
        events_of("langsmith", {**ROW, "run_id": None})
