"""Experiments from exposures to sums: against a count by hand, and an incremental build against a cold one."""

import random
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from models.events import AnyEvent
from models.events.experiment import ExperimentStarted, ExposureLogged, MetricObserved, Variant
from tests.transforms.comparing import differing
from tests.transforms.conftest import NOON
from transforms.build import published
from transforms.experiments.tables import fields

ARMS = (Variant(name="A", weight=1), Variant(name="B", weight=1))
DAYS = 10
FIRST = NOON - timedelta(days=5)


def started(name: str = "e", **fields: Any) -> ExperimentStarted:
    return ExperimentStarted(
        id=f"start-{name}", source="team", experiment_id=name, variants=ARMS, occurred_at=FIRST, **fields
    )


def exposed(person: str, variant: str, moment: datetime, number: int = 0, **fields: Any) -> ExposureLogged:
    said: dict[str, Any] = {"experiment_id": "e", "person_id": person, "source": "app", **fields}
    return ExposureLogged(id=f"seen-{person}-{number}", variant=variant, occurred_at=moment, **said)


def measured(person: str, value: float, moment: datetime, number: int, metric: str = "accepted") -> MetricObserved:
    name = f"{metric}-{person}-{number}"
    return MetricObserved(id=name, source="app", metric=metric, value=value, person_id=person, occurred_at=moment)


class World:
    """Persons who do things for ten days, of whom all but some are exposed after a few."""

    def __init__(self, seed: int = 7, persons: int = 40) -> None:
        chance = random.Random(seed)
        self.days: list[list[AnyEvent]] = [[] for _ in range(DAYS)]
        self.exposures: dict[str, tuple[str, datetime]] = {}
        self.values: list[tuple[str, datetime, float]] = []
        for number in range(persons):
            person, variant = f"p{number}", "AB"[chance.random() < 0.5]
            first = chance.randrange(2, 9) if number % 9 else None
            for day in range(DAYS):
                morning = FIRST + timedelta(days=day, hours=chance.random() * 8)
                if first is not None and (day == first or (day > first and chance.random() < 0.3)):
                    moment = morning + timedelta(hours=1)
                    self.days[day].append(exposed(person, variant, moment, day))
                    self.exposures.setdefault(person, (variant, moment))
                for visit in range(chance.choice((0, 0, 1, 3))):
                    moment = morning + timedelta(minutes=chance.randrange(120))
                    value = float(chance.random() < 0.6)
                    self.days[day].append(measured(person, value, moment, day * 10 + visit))
                    self.values.append((person, moment, value))

    def sums(self, until: datetime) -> dict[str, dict[str, float]]:
        """By arm, by hand: units, accepted over offered since exposure and in 14 days before, and the products."""
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for person, (variant, moment) in self.exposures.items():
            if moment.date() > until.date():
                continue
            after = [v for who, at, v in self.values if who == person and moment <= at and at.date() <= until.date()]
            before = [v for who, at, v in self.values if who == person and at < moment]
            y, d, p, q = sum(after), len(after), sum(before), len(before)
            arm = found[variant]
            for name, value in {
                "n": 1, "y": y, "d": d, "p": p, "q": q, "yy": y * y, "yd": y * d, "yp": y * p, "yq": y * q, "dd": d * d,
                "dp": d * p, "dq": d * q, "pp": p * p, "pq": p * q, "qq": q * q,
            }.items():  # fmt: skip
                arm[name] += value
        return found


NAMES = fields()
SUMS = f"""
select variant, {", ".join(f"sum({name})" for name in NAMES)}
from int_ab_increments where experiment_id = 'e' and metric = ? and day <= ? group by variant
"""


def sums(lab: Any, metric: str, until: datetime) -> dict[str, dict[str, float]]:
    return {row[0]: dict(zip(NAMES, row[1:], strict=True)) for row in lab.ask(SUMS, metric, until.date())}


@pytest.fixture(scope="module")
def grown(new_lab: Callable[[str], Any]) -> tuple[Any, World]:
    """A lab that was built after each third day, the events of one day landing only at the end."""
    lab, world = new_lab("experiments"), World()
    lab.land(started(), at=FIRST)
    for day, events in enumerate(world.days):
        if events and day != 4:
            lab.land(*events, at=FIRST + timedelta(days=day, hours=11))
        if day % 3 == 2:
            lab.build()
    lab.land(*world.days[4], at=FIRST + timedelta(days=DAYS))
    lab.build()
    return lab, world


def test_sums_are_those_of_a_count_by_hand(grown: tuple[Any, World]) -> None:
    lab, world = grown
    for until in (FIRST + timedelta(days=6), FIRST + timedelta(days=DAYS)):
        found, expected = sums(lab, "accept_rate", until), world.sums(until)
        assert set(found) == {"A", "B"} == set(expected)
        for arm, values in expected.items():
            assert found[arm] == pytest.approx(dict(values))


def test_a_build_of_what_came_late_equals_a_cold_one(grown: tuple[Any, World]) -> None:
    lab, _ = grown
    before = published(lab.home)
    assert before
    lab.build(full_refresh=True)
    after = published(lab.home)
    assert after
    assert before != after
    assert not differing(before / "warehouse.duckdb", after / "warehouse.duckdb")
