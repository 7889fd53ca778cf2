"""The bundled sample through sink and build: the marts count what its ledger says must come out."""

from collections.abc import Callable
from typing import Any

import pytest

from flywheel.sample import sample

EXPECTED = sample().expected

Ask = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def ask(sampled: Any) -> Ask:
    return sampled.ask


def by_name(rows: list[tuple[Any, ...]]) -> dict[str, int]:
    return {str(name): int(count) for name, count in rows}


def test_every_record_landed_and_became_an_event_a_copy_or_was_refused(ask: Ask) -> None:
    topics = ("responses", "feedback", "checkpoints")
    landed = ask(" union all ".join(f"select count(*) from raw.{topic}" for topic in topics))
    assert sum(count for (count,) in landed) == EXPECTED.records
    assert ask("select count(*) from base_copies where is_identical") == [(EXPECTED.duplicates,)]
    refused = ask("select count(*) filter (where reason like '%other content%'), count(*) from stg_quarantine")
    assert refused == [(EXPECTED.conflicts, EXPECTED.conflicts + EXPECTED.not_events)]


def test_events_are_accepted_by_type(ask: Ask) -> None:
    accepted = by_name(ask("select kind, count(*) from fct_feedback group by kind"))
    assert {
        "response.rollout_recorded.v1": ask("select count(*) from fct_rollouts")[0][0],
        "response.served.v1": ask("select count(*) from stg_responses__served")[0][0],
        "checkpoint.registered.v1": ask("select count(*) from stg_checkpoints__registered")[0][0],
        "feedback.thumb_given.v2": accepted["thumb"],
        "feedback.comment_left.v1": accepted["comment"],
        "feedback.score_given.v1": accepted["score"],
        "feedback.report_filed.v1": accepted["report"],
    } == EXPECTED.accepted


def test_thumbs_and_current_thumbs(ask: Ask) -> None:
    thumbs = "select coalesce(thumb, 'cleared'), count(*) from fct_feedback where kind = 'thumb'"
    assert by_name(ask(f"{thumbs} group by 1")) == EXPECTED.thumbs
    assert by_name(ask(f"{thumbs} and is_current group by 1")) == EXPECTED.current_thumbs


def test_dirt_is_shown_for_what_it_is(ask: Ask) -> None:
    assert ask(
        "select count(*) filter (where is_skewed), count(*) filter (where repaired), "
        "count(*) filter (where target_state in ('pending', 'overdue')) from fct_feedback"
    ) == [(EXPECTED.skewed, EXPECTED.repaired, EXPECTED.orphans)]
