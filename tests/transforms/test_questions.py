"""docs/questions.md as it stands: each of its statements runs on the sample, and each number has its events."""

from typing import Any

import pytest

from tests.transforms.guide import NUMBERS, QUESTIONS

EMPTY = frozenset([4, 13, 14, 17, 18, 19])
"""The sample has no growth, preferences, experiments, evals, imports or erasures."""


def test_there_are_twenty_and_each_says_how_to_read_its_answer() -> None:
    assert [title.split(".", maxsplit=1)[0] for title in QUESTIONS] == [str(number) for number in range(1, 21)]
    assert all(reading and "\n" not in reading for _, reading in QUESTIONS.values())


@pytest.mark.parametrize("title", QUESTIONS)
def test_a_question_has_an_answer(sampled: Any, title: str) -> None:
    rows = sampled.ask(QUESTIONS[title][0])
    assert bool(rows) == (int(title.split(".", maxsplit=1)[0]) not in EMPTY)


@pytest.mark.parametrize("title", NUMBERS)
def test_a_number_leads_to_as_many_events(sampled: Any, title: str) -> None:
    rows = sampled.ask(NUMBERS[title][0])
    if title.startswith("fct_emerging_modes"):  # tests/transforms/test_mode_marts.py has some that grew
        assert sampled.one("select count(*) from fct_emerging_modes") == len(rows) == 0
        return
    assert {said for _, said in rows} == {len(rows)}
    keys = sorted({key for key, _ in rows})
    assert len(keys) == len(rows)
    current = "select count(*) from fct_feedback where event_key in (select unnest(?)) and is_current"
    assert sampled.one(current, keys) == len(keys)
