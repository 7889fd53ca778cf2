"""Experiments from exposures to outcomes: against counts by hand, and an incremental build against a cold one."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner
from litestar.testing import TestClient

from dashboards.access import Door
from dashboards.app import dashboards_app
from flywheel.cli import cli
from ingest.log import open_log
from models.errors import TerminalError
from models.events import AnyEvent, parse
from models.events.experiment import (
    ExperimentStarted,
    ExperimentStopped,
    ExposureLogged,
    MetricObserved,
    Plan,
    Variant,
)
from models.events.response import ResponseServed
from stats.srm import srm
from tests.transforms.comparing import differing
from tests.transforms.conftest import NOON
from transforms.build import BuildPolicy, build, published
from transforms.experiments.tables import fields

ARMS = (Variant(name="A", weight=1, checkpoint_id="small"), Variant(name="B", weight=1, checkpoint_id="large"))
DAYS = 14
FIRST = NOON - timedelta(days=5)
NAMES = fields()
SUMS = f"""
select variant, {", ".join(f"sum({name})" for name in NAMES)}
from int_ab_increments where experiment_id = ? and metric = ? and day <= ? group by variant
"""
Sums = dict[str, dict[str, float]]


def started(name: str, **fields: Any) -> ExperimentStarted:
    said: dict[str, Any] = {"experiment_id": name, "variants": ARMS, "occurred_at": FIRST, **fields}
    return ExperimentStarted(id=f"start-{name}", source="team", **said)


def exposed(number: str, variant: str, moment: datetime, **fields: Any) -> ExposureLogged:
    said: dict[str, Any] = {"experiment_id": "e", "source": "app", "occurred_at": moment, **fields}
    return ExposureLogged(id=f"seen-{number}", variant=variant, **said)


class World:
    """Persons who do things for two weeks, of whom all but some are exposed after a few days."""

    def __init__(self, seed: int = 7, persons: int = 40) -> None:
        chance = random.Random(seed)
        self.days: list[list[AnyEvent]] = [[] for _ in range(DAYS)]
        self.exposures: dict[str, tuple[str, datetime]] = {}
        self.accepted: list[tuple[str, datetime, float]] = []
        self.answers: list[tuple[str, datetime, float]] = []
        for number in range(persons):
            person, variant = f"p{number}", "AB"[chance.random() < 0.5]
            first = chance.randrange(2, 9) if number % 9 else None
            for day in range(DAYS):
                morning = FIRST + timedelta(days=day, hours=chance.random() * 8)
                if first is not None and (day == first or (day > first and chance.random() < 0.3)):
                    moment = morning + timedelta(hours=1)
                    self.days[day].append(exposed(f"{person}-{day}", variant, moment, person_id=person))
                    self.exposures.setdefault(person, (variant, moment))
                for visit in range(chance.choice((0, 0, 1, 3))):
                    moment = morning + timedelta(minutes=chance.randrange(120))
                    self._did(chance, f"{person}-{day}-{visit}", person, moment)

    def _did(self, chance: random.Random, name: str, person: str, moment: datetime) -> None:
        day = self.days[(moment - FIRST).days]
        value, latency = float(chance.random() < 0.6), chance.lognormvariate(6, 0.5)
        day.append(
            MetricObserved(
                id=f"m-{name}", source="app", metric="Accepted", value=value, person_id=person, occurred_at=moment
            )
        )
        day.append(
            ResponseServed(
                id=f"s-{name}",
                source="app",
                response_id=f"r-{name}",
                prompt="q",
                completion="a",
                person_id=person,
                conversation_id=f"c-{person}",
                latency_ms=latency,
                occurred_at=moment,
            )
        )
        self.accepted.append((person, moment, value))
        self.answers.append((person, moment, latency))

    def sums(self, rows: Iterable[tuple[str, datetime, float]], until: datetime) -> Sums:
        """By arm, by hand: rows and their values since exposure and in the days before, and the products."""
        found: Sums = defaultdict(lambda: defaultdict(float))
        for person, (variant, moment) in self.exposures.items():
            if moment.date() <= until.date():
                after = [v for who, at, v in rows if who == person and moment <= at and at.date() <= until.date()]
                before = [v for who, at, v in rows if who == person and at < moment]
                add(found[variant], sum(after), len(after), sum(before), len(before))
        return found


def add(arm: dict[str, float], y: float, d: float, p: float, q: float) -> None:
    sums = [y, d, p, q]
    products = [one * other for place, one in enumerate(sums) for other in sums[place:]]
    for name, value in zip(NAMES, [1.0, *sums, *products], strict=True):
        arm[name] += value


def told(lab: Any, experiment: str, metric: str, until: datetime) -> Sums:
    rows = lab.ask(SUMS, experiment, metric, until.date())
    return {row[0]: dict(zip(NAMES, row[1:], strict=True)) for row in rows}


class Grown(NamedTuple):
    lab: Any
    world: World
    differences: list[str]
    """Tables on which the incremental build and a cold one disagree."""


def odd(moment: datetime) -> list[AnyEvent]:
    """Exposures that are set apart, and one before and one after somebody signed in."""
    return [
        exposed("two-a", "A", moment, person_id="both"),
        exposed("two-b", "B", moment + timedelta(minutes=1), person_id="both"),
        exposed("constant", "A", moment, anonymous_id="undefined"),
        exposed("bot", "A", moment, person_id="crawler-7"),
        exposed("unknown", "C", moment, person_id="lost"),
        exposed("nobody", "A", moment),
        exposed("before", "A", moment, anonymous_id="cookie"),
        MetricObserved(
            id="m-before", source="app", metric="accepted", value=1, anonymous_id="cookie",
            occurred_at=moment + timedelta(minutes=2),
        ),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def grown(new_lab: Callable[[str], Any]) -> Grown:
    """A lab that was built in between, of one day what comes only at the end."""
    lab, world = new_lab("experiments"), World()
    plan = Plan(metric="accept_rate", guardrails=("latency_p95",), units=40, days=DAYS)
    (lab.home.path / "metrics").mkdir()
    (lab.home.path / "metrics" / "few_answers.yml").write_text(
        "title: Answers, capped\ndescription: Of a test.\nkind: mean\ndirection: higher\nunit: answers\n"
        "numerator: {of: answers, value: one}\nwindow_days: 3\ncap: 2\nowner: tests\n"
    )
    (lab.home.path / "metrics" / "long_talks.yml").write_text(
        "title: Answers\ndescription: Of a test.\nkind: mean\ndirection: higher\nunit: answers\n"
        "numerator: {of: answers, value: one}\nowner: tests\n"
    )
    (lab.home.path / "metrics" / "any_accepted.yml").write_text(
        "title: Any accepted\ndescription: Of a test.\nkind: proportion\ndirection: higher\nunit: share\n"
        "numerator: {of: observed, name: accepted, value: value}\nwindow_days: 4\nowner: tests\n"
    )
    (lab.home.path / "metrics" / "accepted_soon.yml").write_text(
        "title: Accepted soon\ndescription: Of a test.\nkind: ratio\ndirection: higher\nunit: share\n"
        "numerator: {of: observed, name: accepted, value: value}\n"
        "denominator: {of: observed, name: accepted, value: one}\nwindow_days: 6\nowner: tests\n"
    )
    lab.land(started("e", plan=plan), at=FIRST)
    for day, events in enumerate(world.days):
        at = FIRST + timedelta(days=day, hours=11)
        if day != 4:
            lab.land(*events, at=at)
        if day == 3:
            lab.land(*odd(at), at=at)
        if day == 8:  # the first on conversations: it wants the past of all of them
            lab.land(started("talks", unit="conversation", variants=[*ARMS, Variant(name="C", weight=1)]), at=at)
        if day in {3, 9}:
            build(lab.home, policy=BuildPolicy(tested=False))
    last = FIRST + timedelta(days=DAYS)
    lab.land(*world.days[4], at=last)
    lab.land(exposed("after", "A", last, person_id="signed", anonymous_id="cookie"), at=last)
    lab.land(ExperimentStopped(id="stop", source="team", experiment_id="e", occurred_at=last, reason="done"), at=last)
    lab.land(exposed("late", "A", last + timedelta(hours=1), person_id="too-late"), at=last + timedelta(hours=1))
    talks = [
        exposed(f"talk-{person}-{day}", "A", moment, experiment_id="talks", response_id=f"r-{person}-{day}-0")
        for person, (_, moment) in world.exposures.items()
        for day in range(DAYS)
    ]
    lab.land(*talks, at=last)
    lab.build()
    before = published(lab.home)
    build(lab.home, full_refresh=True, policy=BuildPolicy(tested=False))
    after = published(lab.home)
    assert before and after and before != after
    return Grown(lab, world, differing(before / "warehouse.duckdb", after / "warehouse.duckdb"))


def test_a_build_of_what_came_late_equals_a_cold_one(grown: Grown) -> None:
    assert grown.differences == []


def test_ratios_are_those_of_a_count_by_hand(grown: Grown) -> None:
    for until in (FIRST + timedelta(days=6), FIRST + timedelta(days=DAYS)):
        found, expected = told(grown.lab, "e", "accept_rate", until), grown.world.sums(grown.world.accepted, until)
        add(expected["A"], 1, 1, 0, 0)  # who signed in, with what the cookie did before
        assert set(found) == {"A", "B"} == set(expected)
        for arm, values in expected.items():
            assert found[arm] == pytest.approx(dict(values))


def test_means_have_a_window_and_a_cap(grown: Grown) -> None:
    found = told(grown.lab, "e", "few_answers", FIRST + timedelta(days=DAYS))
    expected: Sums = defaultdict(lambda: defaultdict(float))
    for person, (variant, moment) in grown.world.exposures.items():
        ends = moment.date() + timedelta(days=3)
        mine = [at for who, at, _ in grown.world.answers if who == person]
        count = min(2, sum(moment <= at and at.date() < ends for at in mine))
        add(expected[variant], count, 0, sum(at < moment for at in mine), 1)
    add(expected["A"], 0, 0, 0, 1)
    for arm, values in expected.items():
        assert found[arm] == pytest.approx(dict(values))


def test_a_retention_is_known_once_its_days_are_over(grown: Grown) -> None:
    newest = (FIRST + timedelta(days=DAYS)).date()
    for until in (newest - timedelta(days=1), newest):
        found = {
            row[0]: row[1:]
            for row in grown.lab.ask(
                "select variant, sum(n), sum(y) from int_ab_increments where experiment_id = 'e' and "
                "metric = 'retention_7d' and day <= ? group by variant", until,
            )
        }  # fmt: skip
        expected: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for person, (variant, moment) in grown.world.exposures.items():
            first = moment.date()
            if first + timedelta(days=13) <= until:
                back = (first + timedelta(days=7), first + timedelta(days=13))
                mine = [at.date() for who, at, _ in grown.world.answers if who == person]
                expected[variant][0] += 1
                expected[variant][1] += any(back[0] <= day <= back[1] for day in mine)
        assert {arm: tuple(counts) for arm, counts in expected.items()} == found


def test_a_share_of_units_counts_each_once_when_its_days_are_over(grown: Grown) -> None:
    newest = (FIRST + timedelta(days=DAYS)).date()
    found = told(grown.lab, "e", "any_accepted", FIRST + timedelta(days=DAYS))
    expected: Sums = defaultdict(lambda: defaultdict(float))
    for person, (variant, moment) in grown.world.exposures.items():
        last = moment.date() + timedelta(days=3)
        if last <= newest:
            mine = [at for who, at, value in grown.world.accepted if who == person and value]
            did = any(moment <= at and at.date() <= last for at in mine)
            add(expected[variant], float(did), 0, sum(at < moment for at in mine), 1)
    add(expected["A"], 1, 0, 0, 1)
    for arm, values in expected.items():
        assert found[arm] == pytest.approx(dict(values))


def test_early_and_late_days_are_those_of_a_count_by_hand(grown: Grown) -> None:
    newest = (FIRST + timedelta(days=DAYS)).date()
    found = {
        row[0]: dict(zip(NAMES, row[1:], strict=True))
        for row in grown.lab.ask(
            f"select variant, {', '.join(f'sum({name})' for name in NAMES)} from int_ab_halves "
            "where experiment_id = 'e' and metric = 'accepted_soon' group by variant"
        )
    }
    expected: Sums = defaultdict(lambda: defaultdict(float))
    for person, (variant, moment) in grown.world.exposures.items():
        first = moment.date()
        if first + timedelta(days=5) <= newest:
            mine = [(at, value) for who, at, value in grown.world.accepted if who == person and moment <= at]
            early = [value for at, value in mine if at.date() < first + timedelta(days=3)]
            late = [value for at, value in mine if first + timedelta(days=3) <= at.date() < first + timedelta(days=6)]
            add(expected[variant], sum(late), len(late), sum(early), len(early))
    add(expected["A"], 0, 0, 1, 1)  # who signed in
    assert set(found) == {"A", "B"}
    for arm, values in expected.items():
        assert found[arm] == pytest.approx(dict(values))
    ((units, control, early, late, change, adjusted, fades),) = grown.lab.ask(
        "select units, control_units, early, late, change, adjusted_p, fades from fct_ab_novelty "
        "where experiment_id = 'e' and metric = 'accepted_soon'"
    )
    assert (control, units) == (expected["A"]["n"], expected["B"]["n"])
    ratios = {arm: (sums["p"] / sums["q"], sums["y"] / sums["d"]) for arm, sums in expected.items()}
    assert early == pytest.approx(ratios["B"][0] - ratios["A"][0])
    assert late == pytest.approx(ratios["B"][1] - ratios["A"][1])
    assert change == pytest.approx(late - early)
    assert fades == (adjusted <= 0.05 and early * change < 0)


def test_quantiles_are_those_of_the_rows(grown: Grown) -> None:
    rows = grown.lab.ask(
        "select estimate, control_estimate, low, high, difference from fct_ab_outcomes "
        "where experiment_id = 'e' and metric = 'latency_p50' and is_latest"
    )
    by_arm: dict[str, list[float]] = defaultdict(list)
    for person, at, latency in grown.world.answers:
        if (seen := grown.world.exposures.get(person)) and seen[1] <= at:
            by_arm[seen[0]].append(latency)
    ((treated, control, low, high, difference),) = rows
    assert treated == pytest.approx(float(np.median(by_arm["B"])), rel=0.02)
    assert control == pytest.approx(float(np.median(by_arm["A"])), rel=0.02)
    assert low < difference < high


def test_who_is_left_out_is_counted_and_says_why(grown: Grown) -> None:
    faults = dict(
        grown.lab.ask("select unit_key, fault from int_exposed_units where experiment_id = 'e' and fault > ''")
    )
    assert faults == {
        "both": "two variants", "anonymous:undefined": "constant id", "crawler-7": "bot", "lost": "unknown variant",
    }  # fmt: skip
    ((units, crossovers, flagged, state, reason),) = grown.lab.ask(
        "select units, crossovers, flagged, state, stop_reason from dim_experiments where experiment_id = 'e'"
    )
    assert (units, crossovers, flagged) == (len(grown.world.exposures) + 1, 1, 3)
    assert (state, reason) == ("stopped", "done")


def test_who_signs_in_keeps_the_variant_of_before(grown: Grown) -> None:
    rows = grown.lab.ask(
        "select unit_key, variant, exposed_day from int_exposed_units where unit_key in ('signed', 'anonymous:cookie')"
    )
    assert rows == [("signed", "A", (FIRST + timedelta(days=3)).date())]


def test_outcomes_say_how_many_and_whether_the_arms_fit(grown: Grown) -> None:
    rows = grown.lab.ask(
        "select day, units, control_units, srm_p, role, verdict, information from fct_ab_outcomes "
        "where experiment_id = 'e' and metric = 'accept_rate' order by day"
    )
    assert len(rows) == DAYS - 2  # from the first exposure on the third day until the last event
    done = 0
    for day, units, control, p, role, _, information in rows:
        met = [variant for variant, moment in grown.world.exposures.values() if moment.date() <= day]
        signed = day >= (FIRST + timedelta(days=3)).date()
        assert (control, units) == (met.count("A") + signed, met.count("B"))
        assert p == pytest.approx(srm([control, units], [1, 1]))
        done += control + units  # what people do adds up while they return: the plan is counted in unit-days
        assert information == pytest.approx(done / (40 * (DAYS + 1) / 2))
        assert role == "decision"
    assert grown.lab.one("select count(*) from fct_ab_outcomes where metric = 'latency_p95' and role = 'guardrail'") > 0


def test_conversations_may_be_what_is_compared_and_an_arm_may_be_empty(grown: Grown) -> None:
    ((units, said, reason),) = grown.lab.ask(
        "select units, said, reason from dim_experiments where experiment_id = 'talks'"
    )
    known = {person for person, _, _ in grown.world.answers} & set(grown.world.exposures)
    assert 0 < units <= len(known)
    assert said is None and reason == "there is one arm with units, and nothing to compare it with"
    verdicts = grown.lab.ask("select distinct variant, verdict from fct_ab_outcomes where experiment_id = 'talks'")
    assert {variant for variant, _ in verdicts} == {"B", "C"}


def test_segments_are_parts_of_the_whole(grown: Grown) -> None:
    rows = grown.lab.ask(
        "select dimension, segment, units + control_units from fct_ab_segments "
        "where experiment_id = 'e' and metric = 'accept_rate'"
    )
    assert ("source", "app", len(grown.world.exposures) + 1) in rows
    assert {dimension for dimension, _, _ in rows} == {"language", "audience", "source"}


def test_an_experiment_keeps_what_was_settled_first(grown: Grown) -> None:
    ((variants, metric, control),) = grown.lab.ask(
        "select variants, decision_metric, control from dim_experiments where experiment_id = 'e'"
    )
    assert [arm["name"] for arm in json.loads(variants)] == ["A", "B"]
    assert (metric, control) == ("accept_rate", "A")


def ab(*words: str, home: Path) -> str:
    """What `flywheel ab ...` says. Raises AssertionError where it fails."""
    done = CliRunner().invoke(cli, ["ab", *words, "--home", str(home)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_says_what_the_marts_say(grown: Grown) -> None:
    home = grown.lab.home.path
    (one,) = json.loads(ab("outcomes", "e", "--json", home=home))
    assert (one["experiment_id"], one["state"]) == ("e", "stopped")
    assert {row["metric"] for row in one["metrics"]} >= {"accept_rate", "latency_p95", "few_answers"}
    every = ab("outcomes", home=home)
    assert "talks (running" in every
    assert "None" not in every
    plan = json.loads(ab("plan", "accept_rate", "--effect", "0.05", "--json", home=home))
    assert plan["units"] > 100
    assert plan["days"] > 28
    assert "one in a hundred has more than" in ab("plan", "long_talks", "--effect", "1", home=home)
    unknown = CliRunner().invoke(cli, ["ab", "outcomes", "nope", "--home", str(home)])
    assert isinstance(unknown.exception, TerminalError)
    assert "it has: e, talks" in str(unknown.exception)


def test_pages_show_the_marts_as_they_are(grown: Grown) -> None:
    app: Any = dashboards_app(grown.lab.home.path, None, Door())
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["accept"] = "text/html"
        whole = client.get("/experiments")
        one = client.get("/experiment?id=e")
    assert (whole.status_code, one.status_code) == (200, 200)
    assert "0 of 2 experiments have a verdict; 1 is running." in whole.text or "1 of 2 experiments has" in whole.text
    assert "1 unit met two variants and is left out." in one.text
    assert "latency_p95" in one.text


def test_an_experiment_is_started_and_stopped_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    said = ab("start", "tone", "--variant", "plain:3", "--variant", "warm=big:1", "--metric", "thumb_rate", home=home)
    assert "started tone: plain, warm; decided by thumb_rate; salt 'tone'" in said
    ab("stop", "tone", "--reason", "enough", home=home)
    with open_log(None, home) as log:
        begun, ended = [parse(record.value) for record in log.read("experiments", 0, 0).records]
    assert isinstance(begun, ExperimentStarted) and isinstance(ended, ExperimentStopped)
    assert [(arm.name, arm.weight, arm.checkpoint_id) for arm in begun.variants] == [
        ("plain", 3, None), ("warm", 1, "big"),
    ]  # fmt: skip
    assert begun.plan is not None and begun.plan.metric == "thumb_rate"
    assert ended.reason == "enough"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--variant", "A"], "1 arms"),
        (["--variant", "A", "--variant", "A"], "each with a name of its own"),
        (["--variant", "A", "--variant", "B:heavy"], "'B:heavy' is no variant"),
        (["--variant", "A", "--variant", "B", "--units", "9"], "say what decides with --metric"),
        (["--variant", "A", "--variant", "B", "--metric", "nope"], "there is no metric 'nope'"),
        (["--variant", "A", "--variant", "B", "--metric", "thumb_rate", "--guardrail", "eval_score"], "has no margin"),
    ],
)
def test_what_is_no_experiment_is_not_started(tmp_path: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["ab", "start", "x", *words, "--home", str(tmp_path)])
    assert isinstance(done.exception, TerminalError)
    assert said in str(done.exception)
