"""OpenAssistant: counted votes in two shapes."""

from typing import Any

import pytest

from ingest.importers.base import Refused

QUESTION = {"tree_id": "t1", "message_id": "q1", "parent_id": None, "role": "prompter", "text": "Why?", "emojis": None}
ANSWER: dict[str, Any] = {
    "tree_id": "t1",
    "message_id": "a1",
    "parent_id": "q1",
    "role": "assistant",
    "lang": "en",
    "text": "Because.",
    "model_name": None,
    "emojis": {"+1": 2, "-1": 1, "red_flag": 1, "_skip_reply": 1, "rofl": 1},
}


def test_each_counted_vote_is_an_event_without_author_and_time(events_of: Any) -> None:
    served, *votes = events_of("oasst", QUESTION, ANSWER)
    assert (served.prompt, served.completion, served.conversation_id, served.message_id) == (
        "Why?",
        "Because.",
        "t1",
        "a1",
    )
    thumbs = [vote for vote in votes if vote.type.startswith("feedback.thumb")]
    assert sorted(thumb.thumb for thumb in thumbs) == ["down", "up", "up"]
    assert len({vote.native_id for vote in votes}) == len(votes) == 6
    assert {(vote.author.kind, vote.author.id, vote.occurred_at) for vote in votes} == {("human", None, None)}
    scores = {vote.metric: vote for vote in votes if vote.type.startswith("feedback.score")}
    assert (scores["red_flag"].value, scores["red_flag"].better) == (1.0, "lower")
    assert (scores["reply"].status, scores["reply"].value) == ("skipped", None)
    assert scores["emoji"].label == "rofl"


def test_both_shapes_give_the_same_events(events_of: Any) -> None:
    from_messages = events_of("oasst", QUESTION, ANSWER)[1:]
    counts = [{"message_id": "a1", "emoji": emoji, "count": count} for emoji, count in ANSWER["emojis"].items()]
    assert sorted(events_of("oasst", *counts), key=lambda event: event.id) == sorted(
        from_messages, key=lambda event: event.id
    )


def test_the_same_totals_from_both_files_count_once(place: Any) -> None:
    place.rows("oasst", [QUESTION, ANSWER], "messages.jsonl")
    counts = [{"message_id": "a1", "emoji": emoji, "count": count} for emoji, count in ANSWER["emojis"].items()]
    account = place.rows("oasst", counts, "counts.jsonl")
    assert (account.duplicate, account.accepted, account.events_duplicate, account.events) == (5, 0, 6, 0)


def test_a_question_is_no_feedback_and_votes_on_it_are_refused(place: Any) -> None:
    rows = [
        QUESTION,
        {**QUESTION, "message_id": "q2", "emojis": {"_skip_reply": 1}},
        {**QUESTION, "message_id": "q3", "emojis": {"+1": 1}},
        ANSWER,
    ]
    account = place.rows("oasst", rows)
    assert (account.without_feedback, account.refused, account.accepted) == (2, 1, 1)
    assert list(account.reasons) == ["the votes are on a person's message, not on an answer"]


@pytest.mark.parametrize("count", [-1, 1.5, True, "3", None, 10**9])
def test_a_count_that_is_none(events_of: Any, count: Any) -> None:
    with pytest.raises(Refused, match="not a whole number"):
        events_of("oasst", {"message_id": "a1", "emoji": "+1", "count": count})
