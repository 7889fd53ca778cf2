"""Arms beside each other by day: from what each day adds, to effects as of its end. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import accumulate

import numpy as np
import polars as pl

from stats.arm import Arm, merged
from stats.effect import Effect, effect
from stats.quantile import Quantile, quantile, quantile_difference
from transforms.experiments.bins import edges
from transforms.experiments.outcomes import Compared

NOTHING = Arm(*[0.0] * len(Arm._fields))
CLUSTERS = 100


def of_sums(
    added: pl.DataFrame, arms: Sequence[str], days: Sequence[date], *, is_ratio: bool
) -> dict[str, list[Compared]]:
    """Treatment -> its comparison with the control (the first of `arms`) by day, of one metric.

    `added` has a row per variant and day (`variant`, `day`, and the fields of `Arm`): what that day adds.
    """
    by_arm = {arm: _cumulated(added, arm, days, is_ratio=is_ratio) for arm in arms}
    return {
        arm: [_of_arms(control, treated) for control, treated in zip(by_arm[arms[0]], by_arm[arm], strict=True)]
        for arm in arms[1:]
    }


def arm_of(sums: Sequence[float], *, is_ratio: bool) -> Arm:
    """The arm of sums in the order of the fields of `Arm`. Of a mean tables have no d and q: they are 1 a unit."""
    arm = Arm(*sums)
    return arm if is_ratio else Arm.of_mean(arm.n, arm.y, arm.yy, p=arm.p, yp=arm.yp, pp=arm.pp)


def _cumulated(added: pl.DataFrame, arm: str, days: Sequence[date], *, is_ratio: bool) -> list[Arm]:
    rows = {
        row[0]: Arm(*row[1:]) for row in added.filter(pl.col("variant") == arm).select("day", *Arm._fields).iter_rows()
    }
    sums = accumulate((rows.get(day, NOTHING) for day in days), lambda one, other: merged((one, other)))
    return [arm_of(each, is_ratio=is_ratio) for each in sums]


def _of_arms(control: Arm, treated: Arm) -> Compared:
    """With what the time before exposure explains taken out."""
    enough = min(control.n, treated.n) >= 2 and min(control.d, treated.d) > 0
    found = effect(control, treated, cuped=True) if enough else None
    return Compared(found, int(treated.n), int(control.n), control.d + treated.d)


def of_bins(
    added: pl.DataFrame,
    arms: Sequence[str],
    days: Sequence[date],
    share: float,
    units: Mapping[str, Sequence[int]],
) -> dict[str, list[Compared]]:
    """The same of the quantile `share`: `added` has a row per variant, cluster, day and bin with its count `n`."""
    lowest, highest = added.select(pl.col("bin").min(), pl.col("bin").max().alias("highest")).row(0)
    ends = edges(lowest, highest)
    by_arm: dict[str, list[Quantile | None]] = {}
    rows: dict[str, list[float]] = {}
    for arm in arms:
        counts = np.zeros((CLUSTERS, highest - lowest + 1))
        of_arm = added.filter(pl.col("variant") == arm).partition_by("day", as_dict=True)
        by_arm[arm], rows[arm] = [], []
        for day in days:
            new = of_arm.get((day,))
            if new is not None:
                np.add.at(counts, (new["cluster"].to_numpy(), new["bin"].to_numpy() - lowest), new["n"].to_numpy())
            enough = (counts.sum(axis=1) > 0).sum() >= 2
            by_arm[arm].append(quantile(counts, ends, share) if enough else None)
            rows[arm].append(float(counts.sum()))
    control = arms[0]
    return {
        arm: [
            Compared(
                _of_quantiles(by_arm[control][at], by_arm[arm][at]),
                units[arm][at],
                units[control][at],
                rows[control][at] + rows[arm][at],
            )
            for at in range(len(days))
        ]
        for arm in arms[1:]
    }


def _of_quantiles(control: Quantile | None, treated: Quantile | None) -> Effect | None:
    if control is None or treated is None:
        return None
    difference = quantile_difference(control, treated)
    size = abs(control.value)
    return Effect(
        control=control.value,
        treatment=treated.value,
        difference=difference.value,
        se=difference.se,
        df=difference.df,
        relative=difference.value / size if size else float("nan"),
        relative_se=(treated.se**2 + (control.se * treated.value / size) ** 2) ** 0.5 / size if size else float("nan"),
        control_se=control.se,
        treatment_se=treated.se,
    )
