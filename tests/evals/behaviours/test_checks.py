"""Every check of rubrics, on one episode: where it holds, and where it doesn't."""

import json
from typing import Any

import pytest

from evals.behaviours.checks import CHECKS
from evals.behaviours.seen import Seen, calls_of
from models.events.rollout import Step, ToolCall


def call(tool: str, **arguments: Any) -> Step:
    return Step(role="assistant", calls=(ToolCall(tool=tool, arguments=json.dumps(arguments)),))


def answer(text: str = "done", is_error: bool = False) -> Step:
    return Step(role="tool", text=text, is_error=is_error)


STEPS = (
    Step(role="user", text="Send A and B to Weber."),
    call("ask", question="Which Weber do you mean?"),
    answer("The one in Kelso."),
    call("send", what="A", to="W-1"),
    answer(),
    Step(role="user", text="By boat, please."),
    Step(
        role="assistant",
        text="Sorry, by boat then, all 1,204 of them.",
        calls=(
            ToolCall(tool="send", arguments='{"what": "B", "to": "W-1", "by": "boat"}'),
            ToolCall(tool="use_tool", arguments='{"name": "weigh", "arguments": {"what": "B"}}'),
        ),
    ),
    answer(),
    answer("12.5 kg"),
    call("gone", what="A"),
    answer("there is no tool 'gone'", is_error=True),
    Step(role="assistant", text="Both are sent: B weighs 12.5 kg."),
)
BEFORE = {"files": {"a.txt": "one\ntwo\n", "b.txt": "x\n"}, "desk": {"open": True, "left": 3}}
AFTER = {"files": {"a.txt": "one\nTWO\n", "b.txt": "x\n"}, "desk": {"open": True, "left": 2, "note": "left: 2 of A-1"}}
SEEN = Seen(STEPS, calls_of(STEPS), AFTER, BEFORE, "finished")

SEND_A = {"tool": "send", "arguments": {"what": "A"}}
SEND_B = {"tool": "send", "arguments": {"what": "B"}}
KG = {"check": "said", "args": {"texts": ["kg"]}}
NO = {"check": "said", "args": {"texts": ["no"]}}
SAME = {"check": "files_untouched"}
HOLDS: list[tuple[str, dict[str, Any]]] = [
    ("called", {"tool": "send", "arguments": {"what": "A"}, "at_most": 1}),
    ("called", {"tool": "gone", "errors": True}),
    ("called", {"tool": "weigh", "arguments": {"what": "B"}}),
    ("any_of_calls", {"tools": ["post", "send"], "arguments": {"what": "B"}}),
    ("last_call", {"tool": "send", "arguments": {"by": "boat"}}),
    ("failing_replies", {"tool": "gone", "at_most": 1}),
    ("not_called", {"tools": ["post", "burn"]}),
    ("not_called", {"tools": ["send"], "arguments": {"what": "A"}, "after": 1}),
    ("not_invented", {"tool": "send", "argument": "to", "values": ["W-1", "W-2"]}),
    ("called_for_each", {"tool": "send", "argument": "what", "values": ["A", "B"], "and_no_other": True}),
    ("called_in_order", {"tool": "send", "argument": "what", "values": ["A", "B"]}),
    ("called_before", {"first": SEND_A, "then": SEND_B}),
    ("called_before", {"first": SEND_A, "then": {"tool": "post"}}),
    ("next_is", {"word": 1, "tool": "send", "argument": "what", "value": "B"}),
    ("next_is", {"word": 1, "tool": "send", "argument": "what", "value": "A"}),
    ("then_only", {"word": 1, "tool": "send", "argument": "by", "value": "boat"}),
    ("then_only", {"word": 0, "tool": "send", "argument": "by", "value": "boat", "unless": {"what": "A"}}),
    ("asked", {"about": ["weber"], "at_most": 1}),
    ("asked_before", {"about": ["Weber"], "tool": "send"}),
    ("not_asked", {"about": ["boat"]}),
    ("file_is", {"path": "a.txt", "text": "one\nTWO"}),
    ("file_has", {"path": "a.txt", "texts": ["one", "TWO"]}),
    ("file_lacks", {"path": "a.txt", "texts": ["three"]}),
    ("file_lines", {"path": "a.txt", "first": "one", "last": "TWO", "in_order": ["on", "TW"]}),
    ("files_untouched", {"but": ["a.txt"]}),
    ("lines_among", {"path": "a.txt", "lines": ["TWO", "one", "zero"]}),
    ("lines_untouched", {"path": "a.txt", "but": ["two", "TWO"]}),
    ("state_is", {"path": "desk.left", "value": 2}),
    ("state_untouched", {"path": "desk", "but": ["left", "note"]}),
    ("text_says", {"path": "desk.note", "texts": ["A-1", "2"]}),
    ("said", {"texts": ["12.5", "both"]}),
    ("said", {"texts": ["by boat", "1204"], "anywhere": True}),
    ("not_said", {"texts": ["12", "boat"]}),
    ("at_most_words", {"words": 7}),
    ("said_at_most", {"pattern": r"\bsorry\b", "times": 1}),
    ("all_of", {"checks": [KG, SAME | {"args": {"but": ["a.txt"]}}]}),
    ("any_of", {"checks": [NO, KG]}),
]  # fmt: skip
BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("called", {"tool": "send", "at_most": 1}, "send() 2 times"),
    ("called", {"tool": "gone"}, "gone() 0 times"),
    ("any_of_calls", {"tools": ["post", "send"], "arguments": {"what": "C"}}, "never called"),
    ("last_call", {"tool": "send", "arguments": {"what": "A"}}, "at last send(what='B'"),
    ("last_call", {"tool": "post", "arguments": {}}, "post was not called"),
    ("failing_replies", {"tool": "gone", "at_most": 0}, "calls of gone failed in 1 replies, 0 at most"),
    ("not_called", {"tools": ["gone"]}, "at step 9"),
    ("not_invented", {"tool": "send", "argument": "what", "values": ["A"]}, "is 'B' at step 6"),
    ("called_for_each", {"tool": "send", "argument": "what", "values": ["A", "C"]}, "not called for 1 of 2"),
    ("called_for_each", {"tool": "send", "argument": "to", "values": ["W-1"]}, "2 times for 'W-1'"),
    ("called_for_each", {"tool": "send", "argument": "what", "values": ["A"], "and_no_other": True}, "'B' as well"),
    ("called_in_order", {"tool": "send", "argument": "what", "values": ["B", "A"]}, "in the order A, B"),
    ("called_before", {"first": SEND_B, "then": SEND_A}, "at call"),
    ("called_before", {"first": {"tool": "post"}, "then": SEND_A}, "post never"),
    ("next_is", {"word": 1, "tool": "send", "argument": "what", "value": "C"}, "next for 'B'"),
    ("next_is", {"word": 2, "tool": "send", "argument": "what", "value": "C"}, "no later call"),
    ("then_only", {"word": 0, "tool": "send", "argument": "by", "value": "boat"}, "at step 3"),
    ("then_only", {"word": 2, "tool": "send", "argument": "by", "value": "boat"}, "ended before the user's word 2"),
    ("asked", {"about": ["boat"]}, "no question names boat"),
    ("asked", {"about": ["Weber"], "at_most": 0}, "1 questions, 0 at most"),
    ("asked_before", {"about": ["boat"], "tool": "send"}, "no question"),
    ("not_asked", {"about": ["Weber"]}, "asked 'Which Weber"),
    ("file_is", {"path": "a.txt", "text": "one\ntwo"}, "line 2: 'TWO', not 'two'"),
    ("file_is", {"path": "a.txt", "text": "one"}, "1 lines too many"),
    ("file_is", {"path": "c.txt", "text": ""}, "there is no c.txt"),
    ("file_has", {"path": "a.txt", "texts": ["three"]}, "lacks 'three'"),
    ("file_has", {"path": "c.txt", "texts": []}, "there is no c.txt"),
    ("file_lacks", {"path": "a.txt", "texts": ["Two"]}, "holds 'Two'"),
    ("file_lacks", {"path": "c.txt", "texts": []}, "there is no c.txt"),
    ("file_lines", {"path": "a.txt", "first": "TWO"}, "begins with 'one'"),
    ("file_lines", {"path": "a.txt", "last": "one"}, "ends with 'TWO'"),
    ("file_lines", {"path": "a.txt", "in_order": ["TWO", "one"]}, "not in order"),
    ("file_lines", {"path": "a.txt", "in_order": ["three"]}, "no line with 'three'"),
    ("file_lines", {"path": "c.txt"}, "there is no c.txt"),
    ("files_untouched", {}, "a.txt was touched"),
    ("lines_among", {"path": "a.txt", "lines": ["one"]}, "says 'TWO'"),
    ("lines_among", {"path": "c.txt", "lines": []}, "there is no c.txt"),
    ("lines_untouched", {"path": "a.txt", "but": []}, "the line 'TWO' was added"),
    ("state_is", {"path": "desk.left", "value": 3}, "is 2, not 3"),
    ("state_is", {"path": "desk.none.deep", "value": 3}, "is None"),
    ("state_untouched", {"path": "desk", "but": ["note"]}, "desk.left is 2"),
    ("state_untouched", {"path": "desk.left"}, "is 2"),
    ("text_says", {"path": "desk.note", "texts": ["A"]}, "doesn't say 'A'"),
    ("text_says", {"path": "desk.left", "texts": []}, "is no text"),
    ("said", {"texts": ["2.5"]}, "'2.5' is not in the last words"),
    ("not_said", {"texts": ["boat"], "anywhere": True}, "'boat' is said"),
    ("at_most_words", {"words": 3}, "7 words, 3 at most"),
    ("said_at_most", {"pattern": r"\bsorry\b", "times": 0, "after": 1}, "1 times, 0 at most"),
    ("all_of", {"checks": [KG, SAME]}, "(1 of 2 hold)"),
    ("any_of", {"checks": [SAME, NO]}, "; 'no' is not"),
]  # fmt: skip


def named(cases: list[Any]) -> list[str]:
    return [f"{place}-{case[0]}" for place, case in enumerate(cases)]


@pytest.mark.parametrize(("name", "args"), HOLDS, ids=named(HOLDS))
def test_it_holds(name: str, args: dict[str, Any]) -> None:
    found = CHECKS[name](SEEN, **args)
    assert found.passed, found.said


@pytest.mark.parametrize(("name", "args", "told"), BROKEN, ids=named(BROKEN))
def test_it_is_broken_and_says_what_was_seen(name: str, args: dict[str, Any], told: str) -> None:
    found = CHECKS[name](SEEN, **args)
    assert not found.passed
    assert told in found.said


def test_every_check_is_seen_to_hold_and_to_break() -> None:
    assert {name for name, _ in HOLDS} == {name for name, *_ in BROKEN} == set(CHECKS)


def test_last_words_that_call_something_are_none() -> None:
    steps = (*STEPS[:-1], STEPS[6])
    seen = SEEN._replace(steps=steps, calls=calls_of(steps))
    assert seen.said == ""
    assert not CHECKS["at_most_words"](seen, words=10).passed
