"""Fading effects: what is said of them, and how seldom of effects that stay."""

import numpy as np
import polars as pl
import pytest

from stats.arm import Arm
from transforms.experiments.fading import novelty_table

ARMS = pl.DataFrame({"experiment_id": ["e"] * 3, "variant": ["A", "B", "C"], "place": [0, 1, 2]})
METRICS = pl.DataFrame({"metric": ["m"], "kind": ["mean"]})


def halves(chance: np.random.Generator, early: dict[str, float], late: dict[str, float], units: int) -> pl.DataFrame:
    """Persons whose days have an effect of their arm, and something of their own."""
    rows: list[dict[str, object]] = []
    for arm, effect in early.items():
        own = chance.normal(10, 1, units)
        sums = Arm.of_units(
            own + late[arm] + chance.normal(0, 1, units), 1.0, own + effect + chance.normal(0, 1, units)
        )
        rows.append({"experiment_id": "e", "metric": "m", "variant": arm, "days": 7, **sums._asdict()})
    return pl.DataFrame(rows)


def test_an_effect_that_goes_away_fades_and_one_that_stays_does_not() -> None:
    chance = np.random.default_rng(5)
    early, late = {"A": 0.0, "B": 1.0, "C": 1.0}, {"A": 0.0, "B": 0.2, "C": 1.0}
    table = novelty_table(halves(chance, early, late, 2_000), ARMS, METRICS)
    rows = {row["variant"]: row for row in table.iter_rows(named=True)}
    assert (rows["B"]["fades"], rows["C"]["fades"]) == (True, False)
    assert rows["B"]["early"] == pytest.approx(1, abs=0.15)
    assert rows["B"]["change"] == pytest.approx(-0.8, abs=0.15)
    assert rows["B"]["low"] < rows["B"]["change"] < rows["B"]["high"] < 0
    assert rows["B"]["adjusted_p"] == pytest.approx(2 * rows["B"]["p"])  # Holm: the least of two, twice


def test_effects_that_stay_are_seldom_said_to_fade_however_often_one_looks() -> None:
    called = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        summed: pl.DataFrame | None = None
        for _ in range(10):  # a cohort a day, ten looks
            cohort = halves(chance, {"A": 0, "B": 1}, {"A": 0, "B": 1}, 60)
            summed = cohort if summed is None else pl.concat([summed, cohort])
            merged = summed.group_by("experiment_id", "metric", "variant", "days").agg(pl.col(*Arm._fields).sum())
            if novelty_table(merged, ARMS, METRICS)["fades"].any():
                called += 1
                break
    assert called <= 10


def test_nothing_is_said_of_arms_without_units_or_of_one_alone() -> None:
    chance = np.random.default_rng(1)
    assert len(novelty_table(halves(chance, {"B": 1}, {"B": 1}, 50), ARMS, METRICS)) == 0
    assert len(novelty_table(halves(chance, {"A": 0, "B": 1}, {"A": 0, "B": 1}, 1), ARMS, METRICS)) == 0
