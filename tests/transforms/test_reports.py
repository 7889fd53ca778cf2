"""What machines write, in the marts: reports of rules beside what persons say, and votes that no person gave."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import duckdb
import polars as pl
import pytest

from ingest.reports import RULES, Finding
from ingest.reports.filing import LABEL_METRIC, on_rollout, verdict
from models.events.comment import CommentLeft
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from stats.wilson import wilson
from tests.transforms.comparing import differing
from transforms.code import ROOT

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def rollout(name: str, **fields: Any) -> RolloutRecorded:
    calls = (ToolCall(tool="look"), ToolCall(tool="open"))
    steps = (
        Step(role="user", text="Fix it"),
        Step(role="assistant", calls=calls),
        Step(role="tool", text="nothing", is_error=False),
        Step(role="tool", text="Error: no", is_error=True),
        Step(role="assistant", text="I give up."),
    )
    return RolloutRecorded(id=name, source="lab", rollout_id=name, steps=steps, occurred_at=NOON, **fields)


def report(of: RolloutRecorded, steps: tuple[int, ...] = (1,), rule: str = "endless_loop") -> ReportFiled:
    return on_rollout(RULES[rule], of, Finding(steps, f"Called look over and over at {steps}."))


def judged(on: ReportFiled, author: str | None, right: bool, minute: int = 0) -> Any:
    assert on.target
    at = NOON + timedelta(minutes=minute)
    return verdict(f"{on.source}|{on.id}", on.target, right=right, author=author, at=at)


def answer(name: str) -> ResponseServed:
    return ResponseServed(id=f"served-{name}", source="app", response_id=name)


def thumb(
    target: str, number: int, thumb: Literal["up", "down"] = "down", author: str | None = None, **fields: Any
) -> ThumbGiven:
    name = f"{target}-{thumb}-{number}"
    given = {
        "target": Target(kind="response", id=target),
        "author": Author(kind="human", id=author),
        "thumb": thumb,
    }
    return ThumbGiven.model_validate(
        {"id": name, "source": "app", "native_id": name, "occurred_at": NOON, **given, **fields}
    )


def land_quiet_days(lab: Any) -> None:
    """Five days on which a handful of people vote; in the gallery, eight in a minute."""
    lab.land(*(answer(name) for name in ("attacked", "imported", "old", "calm", "popular", "viral")), at=NOON - 9 * DAY)
    lab.land(*(answer(f"many-{number}") for number in range(60)), at=NOON - 9 * DAY)
    for day in range(5):
        lab.land(
            thumb("attacked", day, "up", f"u-{day}"), thumb("calm", day, "up", f"u-{day}"),
            *(thumb("popular", 100 * day + n, "up", f"p-{n}-{day}", source="gallery") for n in range(8)),
            at=NOON - (8 - day) * DAY,
        )  # fmt: skip


def land_floods(lab: Any) -> None:
    """A thousand votes in a second, two imports, a crowd that is usual, and an author who never rests."""
    lab.land(*(thumb("attacked", number, "down", f"bot-{number}") for number in range(500)), at=NOON)
    lab.land(*(thumb("attacked", number, "down") for number in range(500, 1000)), at=NOON + timedelta(seconds=1))
    lab.land(*(thumb("imported", number, import_id="i-1", occurred_at=None) for number in range(100)), at=NOON)
    spread = [NOON - timedelta(hours=number) for number in range(100)]
    lab.land(*(thumb("old", n, import_id="i-1", occurred_at=at) for n, at in enumerate(spread)), at=NOON)
    lab.land(*(thumb("viral", n, "up", f"v-{n}", source="gallery") for n in range(40)), at=NOON)
    lab.land(*(thumb(f"many-{number}", 0, "down", "restless") for number in range(60)), at=NOON)


SERVED, ALONE = rollout("ro-served", response_id="r-1", outcome="finished", reward=0.0), rollout("ro-alone")
ON_SERVED, ON_ALONE, SECOND = report(SERVED), report(ALONE), report(ALONE, (4,), "repeated_tool_error")


@pytest.fixture(scope="module")
def lab(new_lab: Callable[[str], Any]) -> Any:
    """Two rollouts, one of them served, three reports on them, verdicts that change, and a person's complaint."""
    lab = new_lab("reports")
    lab.land(
        ResponseServed(id="r-1", source="app", response_id="r-1", conversation_id="c-1", prompt="p", completion="c"),
        SERVED,
        ThumbGiven(
            id="up", source="app", target=Target(kind="response", id="r-1"), author=Author(kind="human", id="u-1"),
            thumb="up",
        ),
        ON_SERVED, ON_ALONE, SECOND,
        CommentLeft(
            id="c-1", source="app", target=Target(kind="response", id="r-1"), author=Author(kind="human", id="u-1"),
            text="It called the same tool in a loop and ignored every result.",
        ),
        judged(ON_SERVED, "a", False), judged(ON_SERVED, "b", True), judged(ON_ALONE, None, True),
    )  # fmt: skip
    land_quiet_days(lab)
    lab.build()
    later = NOON + timedelta(hours=1)
    lab.land(ALONE, rollout("ro-late", trial=2), judged(ON_SERVED, "a", True, 1), judged(SECOND, "a", False), at=later)
    land_floods(lab)
    lab.build()
    return lab


def test_incremental_equals_cold(lab: Any, new_lab: Callable[[str], Any]) -> None:
    cold = new_lab("reports-cold")
    cold.home.lake.symlink_to(lab.home.lake)
    cold.build()
    assert differing(lab.home.warehouse, cold.home.warehouse) == []


def test_rollouts_are_counted(lab: Any) -> None:
    columns = "rollout_id, steps, tool_calls, tool_errors, user_steps, outcome, reward, findings, rules"
    assert lab.ask(f"select {columns} from fct_rollouts order by 1") == [
        ("ro-alone", 5, 2, 1, 1, None, None, 2, 2),
        ("ro-late", 5, 2, 1, 1, None, None, 0, 0),
        ("ro-served", 5, 2, 1, 1, "finished", 0.0, 1, 1),
    ]


def test_a_report_finds_its_rollout_and_the_response_that_a_person_saw_of_it(lab: Any) -> None:
    columns = "rollout_id, rule, rule_version, mode_id, steps, target_state, response_id, conversation_id"
    assert lab.ask(f"select {columns} from fct_automated_reports order by 1, 2") == [
        ("ro-alone", "endless_loop", 1, "tool_use", "[1]", "resolved", None, None),
        ("ro-alone", "repeated_tool_error", 1, "tool_use", "[4]", "resolved", None, None),
        ("ro-served", "endless_loop", 1, "tool_use", "[1]", "resolved", "r-1", "c-1"),
    ]


def test_rules_and_persons_are_counted_apart(lab: Any) -> None:
    counts = "feedback_count, author_count, negative_count, automated_count"
    assert lab.ask(f"select {counts} from dim_failure_modes where mode_id = 'tool_use'") == [(1, 1, 0, 3)]
    by_kind = (
        "select kind, report_kind, count(*), count(is_negative) from fct_feedback where kind <> 'thumb' group by 1, 2"
    )
    assert sorted(lab.ask(by_kind)) == [("comment", None, 1, 1), ("report", "automated", 3, 0), ("score", None, 5, 0)]
    examples = lab.ask(
        "select count(*), count(*) filter (where text like 'Called look%') from fct_failure_mode_examples"
    )
    assert examples == [(1, 0)]


def test_what_rules_file_is_evidence_for_no_spec_and_is_embedded_nowhere(lab: Any) -> None:
    assert lab.one("select count(*) from int_evidence") == 1
    assert lab.one("select count(*) from int_texts") == 1


def test_a_verdict_is_no_vote(lab: Any) -> None:
    row = lab.ask("select raters, thumbs_up, scored, mean_score from fct_responses where response_id = 'r-1'")
    assert row == [(1, 1, 1, 1.0)]
    columns = "is_current, is_negative, level, trust"
    shown = f"select {columns} from fct_feedback where metric = '{LABEL_METRIC}' and not is_current"
    assert lab.ask(shown) == [(False, None, None, None)]


def test_precision_goes_by_the_last_verdicts_with_its_interval(lab: Any) -> None:
    columns = "rule, labelled, judged_right, value, low, high"
    rows = lab.ask(f"select {columns} from fct_rule_precision where label_source = 'flywheel/reports' order by rule")
    assert [row[:4] for row in rows] == [("endless_loop", 2, 2, 1.0), ("repeated_tool_error", 1, 0, 0.0)]
    for _, labelled, right, _, low, high in rows:
        assert (low, high) == pytest.approx(wilson(right, labelled), abs=1e-8)


def test_a_verdict_moves_what_a_cursor_goes_by(lab: Any) -> None:
    sql = f"select max(updated_at) from fct_feedback where metric = '{LABEL_METRIC}' and not is_current"
    assert lab.one(sql) == NOON + timedelta(hours=1)


def test_the_seeds_know_the_rules() -> None:
    modes = pl.read_csv(ROOT / "transforms/seeds/rule_modes.csv")
    assert sorted(modes["rule"]) == sorted(RULES)
    labels = pl.read_csv(ROOT / "transforms/seeds/rule_labels.csv")
    assert set(labels["rule"]) <= set(RULES)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (6, 7), (50, 100), (999, 1000)])
def test_the_interval_in_sql_is_that_of_stats(right: int, n: int) -> None:
    from jinja2 import Environment  # noqa: PLC0415

    source = (ROOT / "transforms/macros/reports.sql").read_text()
    module: Any = Environment().from_string(source).module  # pyright: ignore[reportUnknownMemberType]
    for ours, theirs in ((module.wilson_low, wilson(right, n).low), (module.wilson_high, wilson(right, n).high)):
        ((value,),) = duckdb.execute(f"select {ours(right, n)}").fetchall()
        assert value == pytest.approx(theirs, abs=1e-8)


def test_case_53_a_thousand_votes_in_a_second_are_kept_and_weigh_as_one(lab: Any) -> None:
    raw = "select raters, thumbs_up, thumbs_down, burst_votes from fct_responses where response_id = 'attacked'"
    assert lab.ask(raw) == [(1005, 5, 1000, 1000)]
    trusted = "select trusted_up, trusted_down, mean_score, trusted_mean_score from fct_responses where response_id = ?"
    ((up, down, mean, trusted_mean),) = lab.ask(trusted, "attacked")
    assert (up, down) == (5.0, pytest.approx(1.0))
    assert mean == pytest.approx(5 / 1005)
    assert trusted_mean == pytest.approx(5 / 6, abs=1e-5)
    per_vote = "select distinct is_burst, trust from fct_feedback where target_id = 'attacked' order by 1"
    assert lab.ask(per_vote) == [(False, 1.0), (True, 0.001)]


def test_case_53_quiet_votes_and_imports_that_arrive_at_once_keep_their_weight(lab: Any) -> None:
    quiet = (
        "select response_id, thumbs_up + thumbs_down, trusted_up + trusted_down, burst_votes from fct_responses "
        "where response_id in ('calm', 'imported', 'old', 'popular') order by 1"
    )
    assert lab.ask(quiet) == [
        ("calm", 5, 5.0, 0),
        ("imported", 100, 100.0, 0),
        ("old", 100, 100.0, 0),
        ("popular", 40, 40.0, 0),
    ]


def test_case_53_what_is_usual_goes_by_the_days_before(lab: Any) -> None:
    """Eight votes a minute are usual in the gallery: forty are half of what would be a burst there."""
    assert lab.ask("select burst_votes, trusted_up from fct_responses where response_id = 'viral'") == [(0, 40.0)]


def test_case_53_an_author_weighs_no_more_than_fifty_votes_a_day(lab: Any) -> None:
    weighed = "select count(*), round(sum(trust), 3), bool_or(is_burst) from fct_feedback where author_id = 'restless'"
    assert lab.ask(weighed) == [(60, 30.0, False)], "a half each"


def test_case_53_a_vote_that_makes_it_a_burst_moves_the_votes_before_it(lab: Any) -> None:
    moved = "select distinct updated_at from fct_feedback where target_id = 'attacked' and is_burst"
    assert lab.ask(moved) == [(NOON + timedelta(seconds=1),)]
