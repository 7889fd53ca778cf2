"""Preferences between two responses."""

from typing import Any

import pytest

from ingest.importers.base import Refused

LLMBAR = {"subset": "Natural", "idx": 0, "input": "Sum up.", "output_1": "a", "output_2": "b", "label": 2}
PANDALM: dict[str, Any] = {
    "idx": 1,
    "cmp_key": "bloom-7b_llama-7b",
    "instruction": "Verify.",
    "input": "1 is odd",
    "response1": True,
    "response2": "True.",
    "annotator1": 1,
    "annotator2": 0,
    "annotator3": 2,
}


def test_a_pair_of_llmbar_is_two_responses_and_a_preference(events_of: Any) -> None:
    first, second, preference = events_of("llmbar", LLMBAR)
    assert (first.completion, second.completion, first.conversation_id) == ("a", "b", second.conversation_id)
    assert (preference.first.id, preference.second.id, preference.choice) == (
        first.response_id,
        second.response_id,
        "second",
    )
    with pytest.raises(Refused, match="label 3 is neither 1 nor 2"):
        events_of("llmbar", {**LLMBAR, "label": 3})


def test_three_people_of_pandalm_stay_three_and_a_boolean_is_its_text(events_of: Any) -> None:
    first, second, *preferences = events_of("pandalm", PANDALM)
    assert (first.completion, first.model, second.model, first.prompt) == (
        "true",
        "bloom-7b",
        "llama-7b",
        "Verify.\n\n1 is odd",
    )
    assert [(event.author.id, event.choice) for event in preferences] == [
        ("annotator1", "first"),
        ("annotator2", "tie"),
        ("annotator3", "second"),
    ]
    assert len({event.id for event in preferences}) == 3


def test_rows_of_one_instruction_are_one_conversation_and_equal_responses_one(events_of: Any) -> None:
    other = {**PANDALM, "idx": 2, "cmp_key": "bloom-7b_opt-7b", "response2": "No."}
    events = [event for event in events_of("pandalm", PANDALM, other) if hasattr(event, "completion")]
    assert len({event.conversation_id for event in events}) == 1
    assert len({event.response_id for event in events}) == 3


def test_a_rater_who_skipped_is_no_tie(events_of: Any) -> None:
    *_, skipped = events_of("pandalm", {**PANDALM, "annotator3": None})
    assert (skipped.choice, skipped.status) == (None, "skipped")
    with pytest.raises(Refused, match="annotator1 is 5"):
        events_of("pandalm", {**PANDALM, "annotator1": 5})
