"""Whether effects fade: early against late days of the same units, at every look. Pure."""

from collections.abc import Iterator, Set
from typing import NamedTuple

import polars as pl

from stats.always_valid import half_width, p_value, rho
from stats.arm import Arm
from stats.multiple import holm
from stats.novelty import Novelty, novelty
from transforms.experiments.compared import arm_of
from transforms.experiments.outcomes import ALPHA, WATCHED_UNITS

NOVELTY = pl.Schema(
    {
        "experiment_id": pl.String, "metric": pl.String, "variant": pl.String, "days": pl.Int64, "units": pl.Int64,
        "control_units": pl.Int64, "early": pl.Float64, "late": pl.Float64, "change": pl.Float64, "low": pl.Float64,
        "high": pl.Float64, "p": pl.Float64, "adjusted_p": pl.Float64, "fades": pl.Boolean,
    }
)  # fmt: skip


class Fading(NamedTuple):
    """A treatment on one metric, early and late."""

    metric: str
    variant: str
    days: int
    units: int
    control_units: int
    found: Novelty
    p: float


def novelty_table(halves: pl.DataFrame, arms: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """One row per experiment, metric and treatment (NOVELTY) of which both arms have two units, early and late.

    `halves`: `experiment_id`, `metric`, `variant`, `days` in either half, and the fields of `Arm`, late days as y over
    d, early ones as p over q; of a mean no d and q. `metrics`: `dim_metrics`. A unit adds its change once, when its
    days are over, so that an interval for watching holds (`stats.always_valid`).
    """
    controls = dict(arms.filter(pl.col("place") == 0).select("experiment_id", "variant").iter_rows())
    ratios = set(metrics.filter(pl.col("kind") == "ratio")["metric"])
    rows: list[tuple[object, ...]] = []
    for (experiment,), part in halves.partition_by(["experiment_id"], as_dict=True).items():
        every = list(_of_one(part.sort("metric", "variant"), controls.get(str(experiment), ""), ratios))
        adjusted = holm([each.p for each in every])
        for each, p in zip(every, adjusted, strict=True):
            rows.append((experiment, *_row(each, p)))
    return pl.DataFrame(rows, schema=NOVELTY, orient="row").sort("experiment_id", "metric", "variant")


def _of_one(part: pl.DataFrame, control: str, ratios: Set[str]) -> Iterator[Fading]:
    for (metric,), of_metric in part.partition_by(["metric"], as_dict=True, maintain_order=True).items():
        days = of_metric["days"][0]
        found = {
            row[0]: arm_of(row[1:], is_ratio=metric in ratios)
            for row in of_metric.select("variant", *Arm._fields).iter_rows()
        }
        base = found.pop(control, None)
        for variant, arm in found.items():
            if base is None or any(one.n < 2 or one.d <= 0 or one.q <= 0 for one in (base, arm)):
                continue
            change, n = novelty(base, arm), base.n + arm.n
            p = p_value(n, change.change, change.se**2, rho(ALPHA, WATCHED_UNITS))
            yield Fading(str(metric), variant, days, int(arm.n), int(base.n), change, p)


def _row(each: Fading, adjusted: float) -> tuple[object, ...]:
    found, n = each.found, each.units + each.control_units
    half = half_width(n, found.se**2, rho(ALPHA, WATCHED_UNITS)) if found.se > 0 else None
    ends = (None, None) if half is None else (found.change - half, found.change + half)
    fades = adjusted <= ALPHA and found.early * found.change < 0
    effects = (found.early, found.late, found.change)
    return (*each[:5], *effects, *ends, each.p, adjusted, fades)
