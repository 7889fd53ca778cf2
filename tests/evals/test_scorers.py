import pytest

from evals.scorers import SCORERS, EpisodeScorer
from evals.scorers.base import Score
from evals.scorers.concise import concise
from evals.scorers.failure_mode import failure_mode
from evals.scorers.instructions import instructions
from evals.scorers.negative_feedback import negative_feedback
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.protocols import Judgement


@pytest.mark.parametrize(
    ("probability", "is_negative", "score"),
    [(0.9, True, 1.0), (0.5, True, 1.0), (0.4999, True, 0.0), (0.1, False, 1.0), (0.7, False, 0.0)],
)
def test_a_judge_is_right_on_the_side_of_the_vote(probability: float, is_negative: bool, score: float) -> None:
    sample = Sample("s", text="hm", is_negative=is_negative)
    given = negative_feedback(sample, Judgement(probability, None, 0.0), {})
    assert given is not None
    assert (given.value, given.answer) == (score, f"{probability:.3f}")


def test_without_a_vote_there_is_nothing_to_score() -> None:
    assert negative_feedback(Sample("s"), Judgement(0.9, None, 0.0), {}) is None


@pytest.mark.parametrize(
    ("known", "named", "score"),
    [
        ("tool_use", "tool_use", 1.0),
        ("tool_use", "refusals", 0.0),
        ("tool_use", None, 0.0),
        ("refusals", "tool_use", 0.0),
        ("refusals", "refusals", 1.0),
        (None, "tool_use", 0.0),
        (None, None, 1.0),
    ],
)
def test_a_judge_tells_texts_of_a_mode_from_others(known: str | None, named: str | None, score: float) -> None:
    given = failure_mode(Sample("s", mode_id=known), Judgement(0.2, named, 0.4), {"mode": "tool_use"})
    assert given is not None
    assert (given.value, given.answer) == (score, named or "none")


def test_the_mode_that_is_asked_about_must_be_named() -> None:
    with pytest.raises(TerminalError, match="of which mode"):
        failure_mode(Sample("s"), Judgement(0.2, None, 0.4), {})


THREE = "- one\n- two\n* three"


@pytest.mark.parametrize(
    ("prompt", "obeys", "breaks"),
    [
        ("Explain tides in at most 5 words.", "The moon pulls the sea.", "The moon pulls at the sea."),
        ("Use no more than five words.", "One two three four five.", "One two three four five six."),
        ("Keep it under 4 words please", "one two three", "one two three four"),
        ("It must be 3 words or fewer.", "one two three", "one two three four"),
        ("Limit your answer to 3 words.", "one two three", "one two three four"),
        ("Write no less than 3 words.", "one two three", "one two"),
        ("at least three words", "one two three", "one two"),
        ("Write more than 2 words.", "one two three", "one two"),
        ("exactly two words", "well-known fact", "fact"),
        ("Answer in at most 2 sentences.", "It rains. It pours!", "It rains. It pours! It ends."),
        ("Write exactly 2 paragraphs.", "a\n\nb", "a\n\nb\n\nc"),
        ("Summarise as 3 bullet points.", THREE, "- one\n- two"),
        ("Give me three short bullets", THREE, "one, two, three"),
        ("at most 3 bullet points", "1. one\n2) two", f"{THREE}\n- four"),
        ("Return only JSON.", '{"a": 1}', "Here it is: {}"),
        ("Respond with a valid JSON object", '```json\n[{"a": null}]\n```', "{'a': 1}"),
        ("Answer in all lowercase.", "quiet words, é", "Quiet words"),
        ("use only lower case letters", "quiet", "QUIET"),
        ("Reply in ALL CAPS", "LOUD!", "Loud!"),
        ('Do not mention "Paris".', "The capital, or parisian life", "I love paris."),
        ("Write a poem without using the word 'love'", "gloves", "Love!"),
        ("Include the word “harbour” once.", "A harbour.", "A harbours' tale"),
        ('End your answer with the phrase "That is all."', "Well. That is all!", "That is all. Bye"),
        ("Begin with 'Dear Sam'", "**Dear Sam,** hello", "Hello, dear Sam"),
        ("Do not use any commas.", "one two", "one, two"),
        ("No emojis please", "fine :)", "fine 🙂"),
    ],
)
def test_an_instruction_is_found_and_checked(prompt: str, obeys: str, breaks: str) -> None:
    for completion, score in ((obeys, 1.0), (breaks, 0.0)):
        given = instructions(prompt, completion, {})
        assert given is not None, prompt
        assert (given.value, given.answer) == (score, f"{int(score)} of 1"), given


@pytest.mark.parametrize(
    "prompt",
    [
        "Tell me about tides.",
        "What are 100 words every child should know?",
        "Write a JSON parser in C.",
        "Parse this JSON file for me",
        "Use lower case for the variable names",
        "He said 'stop' and I want to know why",
        "Explain in your own words",
        "",
    ],
)
def test_what_is_no_checkable_instruction_is_not_scored(prompt: str) -> None:
    assert instructions(prompt, "anything", {}) is None


def test_several_instructions_share_the_score_and_strict_takes_all() -> None:
    prompt = "In lower case and at most 3 words, without commas: what is new?"
    given = instructions(prompt, "nothing, really", {})
    assert given == Score(2 / 3, "2 of 3", "obeyed: at most 3 words; obeyed: In lower case; broken: without commas")
    strict = instructions(prompt, "nothing, really", {"strict": True})
    assert strict is not None
    assert strict.value == 0.0


def test_an_empty_completion_is_an_answer() -> None:
    given = instructions("At least 3 words.", "", {})
    assert given is not None
    assert given.value == 0.0


def test_concise_counts_words_up_to_its_limit() -> None:
    assert concise("What is a tide?", "word " * 250, {}) == Score(1.0, "250 words", "at most 250")
    assert concise("What is a tide?", "word " * 251, {}) == Score(0.0, "251 words", "at most 250")
    assert concise("What is a tide?", "one two three", {"words": 2}) == Score(0.0, "3 words", "at most 2")


@pytest.mark.parametrize(
    "prompt",
    ["Explain tides in detail", "Write an essay on tides", "a step-by-step guide to tides", "Write 500 words on tides"],
)
def test_who_asks_for_length_is_not_given_a_limit(prompt: str) -> None:
    assert concise(prompt, "word " * 900, {}) is None


def test_every_scorer_is_registered_under_its_name() -> None:
    functions = {scorer.score.__name__ for scorer in SCORERS.values() if not isinstance(scorer, EpisodeScorer)}
    assert functions | {"behaviour"} == set(SCORERS)
