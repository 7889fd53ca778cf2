"""Suggestions that were shown, accepted and rejected."""

from typing import Any

import pytest

from ingest.importers.base import Refused


def row(seq: int, event: str, suggestion: str = '"x = 1"', **more: Any) -> dict[str, Any]:
    return {
        "session": 0,
        "seq": seq,
        "user_id": "7",
        "time_generated": f"2022-08-08T16:05:{30 - seq:02}.904Z",
        "event": event,
        "suggestion": suggestion,
        "hidden_state": "UserTyping",
        "measurements": {"promptComputeTimeMs": 9.0},
        "edit_percentage": [0.0, 0.5],
        "labeled_state": "Thinking",
        **more,
    }


def test_what_was_decided_is_on_what_stood_there_though_clocks_run_backwards(events_of: Any) -> None:
    events = events_of(
        "copilot-cups", row(0, "Shown"), row(1, "Shown", '"y"'), row(2, "Rejected", '"y"'), row(3, "Accepted")
    )
    shown = {event.response_id: event for event in events if hasattr(event, "completion")}
    assert {key: event.completion for key, event in shown.items()} == {"cups/0/0": "x = 1", "cups/0/1": "y"}
    assert shown["cups/0/0"].latency_ms == 9.0
    decided = {event.target.id: event for event in events if getattr(event, "metric", None) == "accepted"}
    assert {key: event.value for key, event in decided.items()} == {"cups/0/1": 0.0, "cups/0/0": 1.0}
    assert decided["cups/0/0"].sequence == 3
    assert decided["cups/0/0"].occurred_at < decided["cups/0/1"].occurred_at
    assert [event.value for event in events if getattr(event, "metric", "").startswith("edited")] == [0.0, 0.5]
    labels = [event for event in events if getattr(event, "metric", None) == "activity"]
    assert [event.label for event in labels] == ["Thinking"] * 4


def test_a_replay_of_what_was_never_shown_shows_it_and_a_suggestion_may_be_cut_off(events_of: Any) -> None:
    served, *_ = events_of("copilot-cups", row(0, "Replay", '"cut off'))
    assert served.completion == '"cut off'
    assert not any(
        hasattr(event, "completion") for event in events_of("copilot-cups", row(0, "Shown"), row(1, "Replay"))[2:]
    )
    with pytest.raises(Refused, match="Accepted with nothing shown before it"):
        events_of("copilot-cups", row(0, "Accepted"))


def test_a_survey_has_words_for_numbers_a_line_break_in_its_header_and_blank_cells(place: Any) -> None:
    path = place.files / "survey.csv"
    path.write_text(
        'Which best describes your programming experience?,I learned.,"Typical,\nyou think?",Is there anything else?\n'
        " 3 to 5 years,Strongly Agree,Yes,\n 3 to 5 years,,,It was slow\n"
    )
    account = place.run("copilot-cups", path)
    assert (account.rows, account.accepted) == (2, 2)
    said = place.events("feedback")
    (agreed,) = (event for event in said if getattr(event, "metric", None) == "survey/i_learned")
    assert (agreed.value, agreed.label, agreed.scale_min, agreed.scale_max) == (5.0, "Strongly Agree", 1.0, 5.0)
    assert [event.text for event in said if hasattr(event, "text")] == ["It was slow"]
    assert any(getattr(event, "metric", None) == "survey/typical_you_think" for event in said)
