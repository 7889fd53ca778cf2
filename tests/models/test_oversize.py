"""Oversized events keep everything but the large text, and say that it was cut."""

import pytest

from models.events import dump, parse
from models.events.comment import CommentLeft
from models.events.oversize import TooLarge, cut, within
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.events.taxonomy import DiscoveryStarted
from models.feedback import Author, Target


def comment(text: str) -> CommentLeft:
    target, author = Target(kind="trace", id="t"), Author(kind="human", id="u")
    return CommentLeft(id="e", source="s", target=target, author=author, text=text, metric="thumb")


@pytest.mark.parametrize("letter", ["a", "ä", "😡", "\n"])
def test_the_longest_text_is_cut_and_the_rest_stays(letter: str):
    whole = comment(letter * 50_000)
    cut = within(whole, 10_000)
    assert len(dump(cut)) <= 10_000
    assert cut.text.startswith(letter)
    assert cut.text.endswith("more characters]")
    assert cut.model_copy(update={"text": ""}) == whole.model_copy(update={"text": ""})
    assert within(whole, 10_000) == cut


def test_texts_inside_a_payload_are_cut_as_well_and_its_shape_stays():
    steps = tuple(
        Step(role="tool", text="x" * size, calls=(ToolCall(tool="search", arguments="y" * size),), is_error=True)
        for size in (10, 900_000, 50)
    )
    whole = RolloutRecorded(id="e", source="s", rollout_id="r", steps=steps, tools=("search",), reward=0.5)
    short = within(whole, 500_000)
    assert 499_000 < len(dump(short)) <= 500_000
    assert parse(dump(short)) == short
    assert (short.steps[0], short.steps[2]) == (whole.steps[0], whole.steps[2])
    large = short.steps[1]
    assert (large.text or "").endswith("more characters]") and large.calls[0].arguments.endswith("more characters]")
    assert (large.is_error, large.calls[0].tool, short.reward, short.tools) == (True, "search", 0.5, ("search",))


def test_an_event_that_fits_is_left_alone():
    assert within(comment("short"), 10_000) == comment("short")


def test_what_is_large_for_another_reason_is_refused():
    ids = tuple(f"event-{number}" for number in range(5_000))
    event = DiscoveryStarted(id="e", source="s", discovery_id="d", event_keys=ids, embedding="m", taxonomy_digest="t")
    with pytest.raises(TooLarge, match="not in a text"):
        within(event, 10_000)


def test_ids_are_never_cut():
    whole = comment("short").model_copy(update={"native_id": "n" * 512, "metric": "m" * 512})
    with pytest.raises(TooLarge):
        within(whole, 1_000)


def test_a_cut_text_says_what_is_missing():
    assert cut("abcdef", 2) == "ab [cut here: 4 more characters]"
    assert cut("abcdef", 6) == "abcdef"
