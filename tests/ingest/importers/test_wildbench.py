"""WildBench judgements."""

from typing import Any

import pytest

from ingest.importers.base import Unfit

ROW = {
    "session_id": "s1",
    "bench_version": "v2.0522",
    "judge": "judge-a",
    "model_test": "lab/model-1",
    "score": "7",
    "strengths": "Clear.",
    "weaknesses": "Stops in the middle.",
    "output_chars": 10,
    "judge_error": None,
}


def test_a_judgement_is_a_response_a_score_and_a_comment(events_of: Any) -> None:
    served, score, comment = events_of("wildbench", ROW)
    assert (served.response_id, served.conversation_id, served.model) == (
        "wildbench/s1/v2.0522/lab/model-1",
        "s1",
        "lab/model-1",
    )
    assert (served.prompt, served.completion) == (None, None)
    assert (score.metric, score.value, score.scale_min, score.scale_max) == ("wildbench_score", 7.0, 1.0, 10.0)
    assert (score.author.kind, score.author.id, score.occurred_at) == ("llm", "judge-a", None)
    assert (comment.text, comment.metric) == ("Stops in the middle.", "wildbench_score")
    assert score.target == comment.target


def test_another_judge_gives_the_same_response_and_another_score(events_of: Any) -> None:
    first = events_of("wildbench", ROW)
    second = events_of("wildbench", {**ROW, "judge": "judge-b", "output_chars": 12})
    assert first[0] == second[0]
    assert {event.id for event in first[1:]}.isdisjoint(event.id for event in second[1:])


@pytest.mark.parametrize("change", [{"score": "N/A"}, {"score": "0"}, {"score": None}, {"judge_error": "timed out"}])
def test_what_the_judge_did_not_say_is_an_error_and_no_zero(events_of: Any, change: dict[str, Any]) -> None:
    _, score, *_ = events_of("wildbench", {**ROW, **change})
    assert (score.status, score.value) == ("errored", None)


def test_without_weaknesses_there_is_no_comment(events_of: Any) -> None:
    assert len(events_of("wildbench", {**ROW, "weaknesses": None})) == 2
    assert len(events_of("wildbench", {**ROW, "weaknesses": " "})) == 2


def test_a_row_of_another_format_says_what_it_lacks(events_of: Any) -> None:
    with pytest.raises(Unfit, match="no bench_version, judge"):
        events_of("wildbench", {"session_id": "s", "model_test": "m"})
