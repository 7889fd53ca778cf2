"""Effects within segments: who spoke which language, was of which audience, came from which product. Pure.

A segment is that of a unit's first exposure, so that the treatment can't move units between them. All of them are
looked at together: p is adjusted over all segments of a metric, and none of them decides anything.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from stats.always_valid import half_width, p_value, rho
from stats.arm import Arm
from stats.effect import effect
from stats.multiple import benjamini_hochberg
from transforms.experiments.compared import arm_of
from transforms.experiments.outcomes import ALPHA, WATCHED_UNITS

DIMENSIONS = ("language", "audience", "source")
SEGMENTS = pl.Schema(
    {
        "experiment_id": pl.String, "metric": pl.String, "variant": pl.String, "dimension": pl.String,
        "segment": pl.String, "units": pl.Int64, "control_units": pl.Int64, "estimate": pl.Float64,
        "control_estimate": pl.Float64, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "p": pl.Float64, "adjusted_p": pl.Float64,
    }
)  # fmt: skip


def segment_table(cells: pl.DataFrame, arms: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """One row per experiment, metric, treatment, dimension and segment (SEGMENTS) in which both arms have two units.

    `cells`: the sums of an arm by `experiment_id`, `metric`, `variant` and the three dimensions.
    """
    ratios = set(metrics.filter(pl.col("kind") == "ratio")["metric"])
    controls = dict(arms.filter(pl.col("place") == 0).select("experiment_id", "variant").iter_rows())
    rows: list[tuple[Any, ...]] = []
    for dimension in DIMENSIONS:
        keys = ["experiment_id", "metric", dimension, "variant"]
        summed = cells.group_by(keys).agg(pl.col(*Arm._fields).sum()).sort(keys)
        for (experiment, metric, segment), of_segment in summed.partition_by(keys[:3], as_dict=True).items():
            found = {
                row[0]: arm_of(row[1:], is_ratio=metric in ratios)
                for row in of_segment.select("variant", *Arm._fields).rows()
            }
            control = found.pop(controls.get(str(experiment), ""), None)
            for variant, arm in found.items():
                if control is not None and min(arm.n, control.n) >= 2 and min(arm.d, control.d) > 0:
                    rows.append((experiment, metric, variant, dimension, segment, *_compared(control, arm)))
    table = pl.DataFrame([(*row, None) for row in rows], schema=SEGMENTS, orient="row")
    return pl.concat([_adjusted(part) for part in _parts(table)]) if len(table) else table


def _compared(control: Arm, arm: Arm) -> tuple[float | int | None, ...]:
    found = effect(control, arm, cuped=True)
    tuned, n = rho(ALPHA, WATCHED_UNITS), control.n + arm.n
    half = half_width(n, found.se**2, tuned) if found.se > 0 else None
    ends = (None, None) if half is None else (found.difference - half, found.difference + half)
    p = p_value(n, found.difference, found.se**2, tuned)
    return int(arm.n), int(control.n), found.treatment, found.control, found.difference, *ends, p


def _parts(table: pl.DataFrame) -> Iterator[pl.DataFrame]:
    yield from table.sort(table.columns[:5]).partition_by("experiment_id", "metric")


def _adjusted(part: pl.DataFrame) -> pl.DataFrame:
    return part.with_columns(adjusted_p=pl.Series(benjamini_hochberg(part["p"].to_list()), dtype=pl.Float64))
