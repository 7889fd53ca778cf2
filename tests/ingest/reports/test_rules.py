"""Each rule on episodes that show its fault, and on those that only look like it."""

from typing import Any

import pytest

from ingest.reports import RULES, Episode, Finding
from models.events.rollout import Step, ToolCall


def call(tool: str, arguments: str = "{}", answer: str | None = "ok", is_error: bool | None = None) -> list[Step]:
    """A call and its answer; without an answer the call alone."""
    made = Step(role="assistant", calls=(ToolCall(tool=tool, arguments=arguments),))
    return [made] if answer is None else [made, Step(role="tool", tool=tool, text=answer, is_error=is_error)]


def says(*texts: str) -> list[Step]:
    """User and assistant in turn, the user first."""
    return [Step(role="user" if place % 2 == 0 else "assistant", text=text) for place, text in enumerate(texts)]


def found(rule: str, *parts: list[Step], **known: Any) -> list[Finding]:
    return RULES[rule].look(Episode(tuple(step for part in parts for step in part), **known))


def steps(findings: list[Finding]) -> list[tuple[int, ...]]:
    return [finding.steps for finding in findings]


def test_the_same_error_twice_is_one_finding_at_the_calls() -> None:
    findings = found(
        "repeated_tool_error",
        says("book it"),
        call("book", "{}", "Error: paid 299 of 375", True),
        call("search"),
        call("book", '{"a": 1}', "Error: paid 374 of 375", True),
    )
    assert steps(findings) == [(1, 5)]
    assert findings[0].text == (
        "The tool book failed 2 times the same way (steps 1 and 5): \u201cError: paid 374 of 375\u201d"
    )


@pytest.mark.parametrize(
    "second",
    [
        [call("book", "{}", "Error: no seats", True)],
        [call("pay", "{}", "Error: paid 299 of 375", True)],
        [call("book"), call("book", "{}", "Error: paid 1 of 2", True)],
        [call("book", "{}", "Error: paid 1 of 2", False)],
        [call("book", "{}", None)],
    ],
    ids=["another error", "another tool", "a success between", "the tool says it is none", "no answer"],
)
def test_what_is_not_the_same_error_again(second: list[list[Step]]) -> None:
    assert found("repeated_tool_error", call("book", "{}", "Error: paid 299 of 375", True), *second) == []


def test_answers_go_to_their_calls_by_id_whatever_their_order() -> None:
    calls = (ToolCall(tool="a", call_id="1"), ToolCall(tool="b", call_id="2"))
    both = [
        Step(role="assistant", calls=calls),
        Step(role="tool", call_id="2", text="Error: b fails", is_error=True),
        Step(role="tool", call_id="1", text="fine", is_error=False),
    ]
    findings = found("repeated_tool_error", both, both)
    assert steps(findings) == [(0, 3)]
    assert "tool b" in findings[0].text


def test_a_tool_that_is_not_listed_or_says_so_is_unknown() -> None:
    assert steps(found("unknown_tool", call("fly"), call("walk"), tools=("walk",))) == [(0,)]
    assert steps(found("unknown_tool", call("bash", "rg x", "bash: rg: command not found"))) == [(0,)]
    assert steps(found("unknown_tool", call("fly", answer="Unknown tool: fly"), call("fly", answer=None))) == [(0,)]


def test_a_tool_that_answered_was_there_and_no_list_says_nothing() -> None:
    assert found("unknown_tool", call("fly", is_error=False), tools=("walk",)) == []
    assert found("unknown_tool", call("fly")) == []


def test_three_rounds_of_the_same_calls_and_answers_are_a_loop() -> None:
    once = [*call("look", "{}", "nothing"), *call("wait", "{}", "done")]
    findings = found("endless_loop", says("go"), once, once, once, call("end"))
    assert steps(findings) == [(1, 3, 5, 7, 9, 11)]
    assert findings[0].text.startswith("Called look, wait 3 times with the same arguments and answers")
    assert steps(found("endless_loop", *[call("look", "{}", "nothing")] * 5)) == [(0, 2, 4, 6, 8)]


@pytest.mark.parametrize(
    "parts",
    [
        [call("poll", "{}", f"{done}%") for done in range(5)],
        [call("look", f'{{"page": {page}}}', "nothing") for page in range(5)],
        [call("look", "{}", "nothing")] * 2,
        [call("look", "{}", None)] * 5,
    ],
    ids=["the answer moves", "the arguments move", "twice", "no answers"],
)
def test_what_is_no_loop(parts: list[list[Step]]) -> None:
    assert found("endless_loop", *parts) == []


def test_saying_the_same_three_times_is_a_loop_unless_it_is_short() -> None:
    sorry = "I am sorry, but I can not change this booking for you."
    assert steps(found("endless_loop", says("a", sorry, "b", sorry, "c", sorry))) == [(1, 3, 5)]
    assert found("endless_loop", says("a", "Yes.", "b", "Yes.", "c", "Yes.")) == []


def test_tool_rollout_and_answer_can_time_out() -> None:
    assert steps(found("timed_out", says("go"), call("bash", "sleep 9", "EXECUTION TIMED OUT"))) == [(1, 2)]
    findings = found("timed_out", says("go", "on it"), outcome="timed_out", outcome_detail="exit_time")
    assert [finding.text for finding in findings] == ["The rollout ran out of time after 2 steps (exit_time)."]
    assert steps(found("timed_out", says("why?", "The request timed out."))) == [(1,)]


def test_talk_about_time_outs_is_none() -> None:
    long = "The request timed out since the server was busy. " * 5
    assert found("timed_out", says("why?", long, "and now?", "Has it timed out again?")) == []
    assert found("timed_out", call("bash", "cat log", "the job timed out\nall done\nbye", False)) == []
    assert found("timed_out", says("go", "done"), outcome="finished") == []


def test_the_next_words_of_the_user_correct_the_answer() -> None:
    spoken = says("Book for May", "Booked for March.", "No, I said May.", "Booked for May.", "Thanks!")
    assert steps(found("user_correction", spoken)) == [(1, 2)]
    assert found("user_correction", says("No, I meant May.", "Fine.")) == [], "nothing was answered yet"


def test_an_answer_is_undone_by_the_user_by_the_same_prompt_or_by_the_model() -> None:
    assert steps(found("answer_undone", says("Fix it", "I rewrote it all.", "Undo that, please"))) == [(1, 2)]
    again = "Write a haiku about the sea."
    assert steps(found("answer_undone", says(again, "Waves", again.upper(), "More waves"))) == [(1, 2)]
    assert found("answer_undone", says("continue", "Waves", "continue")) == []
    edit, look, undo = call("edit", "1:1"), call("open", "f"), call("editor", '{"command": "undo_edit"}')
    assert steps(found("answer_undone", edit, look, undo)) == [(0, 4)]
    assert found("answer_undone", edit, look, look, look, undo) == [], "not at once"
    assert found("answer_undone", look, undo) == [], "no edit before"


def test_every_rule_says_what_it_is_and_survives_an_empty_episode() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.version >= 1
        assert rule.description.endswith(".")
        assert rule.kinds
        for episode in (Episode(()), Episode((Step(role="assistant"), Step(role="tool"), Step(role="user")))):
            assert rule.look(episode) == []
