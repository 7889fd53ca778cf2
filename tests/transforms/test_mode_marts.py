"""The marts of failure modes on five weeks of comments, in whose last one a checkpoint gets worse at one thing."""

import csv
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.log import open_log, replay
from ingest.sink import Sink
from models.events import AnyEvent, parse
from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.taxonomy import AlertRaised
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from tests.transforms.conftest import NOON, Lab
from tests.transforms.guide import NUMBERS
from tests.transforms.taxonomy.seeded import FOLDER

DAYS = 35
A_DAY = 8
"""Comments on each checkpoint, each by another author."""
GREW = "tool_use"
STEADY = ("communication", "latency_cost", "refusals")


def texts() -> dict[str, list[str]]:
    """The seeds' own examples: their vectors are there."""
    found: dict[str, list[str]] = {}
    with (FOLDER / "mode_examples.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["mode_id"], []).append(row["text"])
    return found


def events() -> list[AnyEvent]:
    """What was said; in the last 7 days 5 of 8 comments on checkpoint b are about tools, before 1 of 8."""
    examples = texts()
    said: list[AnyEvent] = []
    for checkpoint in ("a", "b"):
        for day in range(DAYS):
            for place in range(A_DAY):
                number = day * A_DAY + place
                worse = checkpoint == "b" and day >= DAYS - 7
                mode = GREW if place < (5 if worse else 1) else STEADY[place % len(STEADY)]
                liked = number % 5 == 0 if mode == GREW else number % 9 > 0
                key, at = f"{checkpoint}-{number}", NOON - timedelta(days=DAYS - 1 - day)
                target, author = Target(kind="response", id=key), Author(kind="human", id=f"u-{key}")
                fields: dict[str, Any] = {"source": "app", "target": target, "author": author, "occurred_at": at}
                said += [
                    ResponseServed(
                        id=f"served-{key}", source="app", response_id=key, checkpoint_id=checkpoint, occurred_at=at,
                        experiment_id="exp", variant=checkpoint,
                    ),
                    CommentLeft(id=f"comment-{key}", text=examples[mode][number % len(examples[mode])], **fields),
                    ThumbGiven(id=f"thumb-{key}", thumb="up" if liked else "down", **fields),
                ]  # fmt: skip
    return said


@pytest.fixture(scope="module")
def worse(new_lab: Callable[[str], Lab]) -> Lab:
    lab = new_lab("worse")
    lab.land(*events())
    lab.build()
    return lab


def test_what_grew_on_one_checkpoint_is_said_of_it_and_of_nothing_steady(worse: Lab) -> None:
    rows = worse.ask("select mode_id, dimension, subject, is_only_here from fct_emerging_modes order by 1, 2, 3")
    assert {mode for mode, *_ in rows} == {GREW}
    assert (GREW, "checkpoint", "b", True) in rows
    assert (GREW, "variant", "exp: b", True) in rows
    assert not any(subject == "a" for _, _, subject, _ in rows)


def test_voices_are_authors_on_days(worse: Lab) -> None:
    (row,) = worse.ask(
        "select recent_count, recent_total, before_count, before_total, window_start, window_end "
        "from fct_emerging_modes where dimension = 'checkpoint'"
    )
    assert row[1::2] == (7 * A_DAY, 28 * A_DAY, NOON.date())
    assert row[4] == NOON.date() - timedelta(days=6)
    assert row[0] == worse.one(
        "select sum(feedback_count) from fct_failure_mode_daily where mode_id = ? and checkpoint_id = 'b' and day >= ?",
        GREW, row[4],
    )  # fmt: skip
    assert row[0] > 3 * row[2] / 4


def test_what_grew_leads_to_its_events(worse: Lab) -> None:
    rows = worse.ask(NUMBERS["fct_emerging_modes: recent_feedback_count"][0])
    assert rows
    assert {said for _, said in rows} == {len(rows)} == {len({key for key, _ in rows})}


def test_a_week_holds_what_its_days_hold(worse: Lab) -> None:
    days = (
        "select date_trunc('week', day)::date, mode_id, sum(feedback_count) from fct_failure_mode_daily group by 1, 2"
    )
    weeks = (
        "select week, mode_id, sum(feedback_count) from fct_failure_mode_weekly where dimension = '{}' "
        "group by 1, 2 having sum(feedback_count) > 0"
    )
    for dimension in ("all", "checkpoint", "variant", "source", "audience"):
        assert sorted(worse.ask(days)) == sorted(worse.ask(weeks.format(dimension)))
    comments = "select sum(week_feedback_count) from fct_failure_mode_weekly where mode_id = ? and dimension = 'all'"
    assert worse.one(comments, GREW) == 2 * DAYS * A_DAY


def test_the_cost_of_a_mode_is_seen_in_votes(worse: Lab) -> None:
    ((voted, rate, other, low, high, share),) = worse.ask(
        "select with_voted, with_up_rate, other_up_rate, other_difference_low, other_difference_high, negative_share "
        "from fct_failure_mode_impact where mode_id = ?",
        GREW,
    )
    assert voted == worse.one("select feedback_count from dim_failure_modes where mode_id = ?", GREW)
    assert rate < other
    assert low < rate - other < high < 0
    assert share > 0.5


def test_a_mode_that_was_said_of_no_answer_divides_by_nothing(worse: Lab) -> None:
    row = worse.ask(
        "select feedback_count, with_up_rate, with_up_rate_low, other_difference from fct_failure_mode_impact "
        "where mode_id = 'code_correctness'"
    )
    assert row == [(0, None, None, None)]


def test_an_alert_is_raised_once_and_reaches_its_mart(worse: Lab) -> None:
    place = ["--home", str(worse.home.path)]
    first = CliRunner().invoke(cli, ["modes", "alerts", *place], catch_exceptions=False)
    assert "checkpoint:b only" in first.output
    again = CliRunner().invoke(cli, ["modes", "alerts", *place], catch_exceptions=False)
    assert again.output.endswith("0 alerts raised\n")
    with open_log(None, worse.home.path) as log:
        alerts = [parse(record.value, record.headers) for record in replay(log, "taxonomy")]
        Sink(log, worse.home).drain()
    raised = [alert for alert in alerts if isinstance(alert, AlertRaised)]
    assert len(raised) == len(alerts) == worse.one("select count(*) from fct_emerging_modes")
    worse.build()
    assert worse.one("select message from fct_alerts where subject = 'checkpoint:b'") == next(
        alert.message for alert in raised if alert.subject == "checkpoint:b"
    )
    assert "checkpoint b only" in worse.one("select message from fct_alerts where subject = 'checkpoint:b'")
