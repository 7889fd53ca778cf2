"""What is taken for a correction, an undo, a failure, a time-out or an unknown tool, and what only looks like one."""

import pytest

from text import cues

CORRECTIONS = [
    "No, I meant the other file.",
    "that's not what I asked",
    "You didn't answer the second question.",
    "I said March, not May.",
    "But you're wrong about the date",
    "There must be a misunderstanding: I fly from Rome.",
    "i didnt mean it like that",
]
NO_CORRECTIONS = [
    "No, that's all for now. Thanks!",
    "I apologize, I've realized I gave you the wrong number. That's not what I meant to send.",
    "Sorry, my mistake, I said March, not May.",
    "What does it mean when a test is flaky?",
    "Is it wrong to use a mutex here?",
    "Thanks! " + "Next topic. " * 40 + "That's not what I asked last year.",
]


@pytest.mark.parametrize("text", CORRECTIONS)
def test_a_correction_is_told_by_words_of_the_text(text: str) -> None:
    said = cues.corrects(text)
    assert said is not None
    assert said in text


@pytest.mark.parametrize("text", NO_CORRECTIONS)
def test_what_is_no_correction(text: str) -> None:
    assert cues.corrects(text) is None


def test_an_undo_is_asked_for_not_talked_about() -> None:
    assert cues.undoes("Please revert that.")
    assert cues.undoes("ok, put it back the way it was")
    assert cues.undoes("undo")
    assert cues.undoes("How does git revert work with merge commits?") is None
    assert cues.undoes("Write a function that can undo a move in chess") is None


def test_a_failure_stands_in_the_first_or_last_line() -> None:
    assert cues.failed("Error: no such flight") == "Error: no such flight"
    assert cues.failed("starting\nTraceback follows\nValueError: bad") == "ValueError: bad"
    assert cues.failed("12 rows\nError: in the middle of a log\nall done") is None
    assert cues.failed("error rate: 0.2") is None
    assert cues.failed("x" * 500 + " permission denied") is None


def test_a_time_out_is_a_message_of_one() -> None:
    assert cues.timed_out("\nEXECUTION TIMED OUT\n") == "EXECUTION TIMED OUT"
    assert cues.timed_out("the request timed out after 30 s")
    assert cues.timed_out("def connect(timeout=30): ...") is None


def test_an_unknown_tool_is_the_one_that_was_called() -> None:
    assert cues.unknown_tool("bash: rg: command not found", "bash")
    assert cues.unknown_tool("Tool `lookup` does not exist", "lookup")
    assert cues.unknown_tool("Function main not found! Here is another.", "disassemble") is None
