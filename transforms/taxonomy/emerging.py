"""Which failure modes grew, by more than chance explains over all that was looked at. Pure: counts in, rows out.

What fell is not told, nor what is steady and high: `fct_failure_mode_weekly` has every rate.
"""

from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from stats.rate_ratio import rate_ratios

LOOKED_AT_LEAST = 8
"""Voices of a mode in both windows together from which on a subject is looked at. It goes by the sum alone, given which
the test holds (Bourgon, Gentleman and Huber 2010): leaving out hopeless ones takes nothing from the rest."""
SHOWN_VOICES = 5
SHOWN_AUTHORS = 3
"""So many in the newest window at least: less is an anecdote, however unlikely."""
FALSE_SHARE = 0.05
"""Of what is shown, so much is chance at most, on average: Benjamini and Hochberg (1995). Subjects of one mode rise
together, which the method allows (Benjamini and Yekutieli 2001)."""

COLUMNS = {
    "mode_id": pl.String,
    "dimension": pl.String,
    "subject": pl.String,
    "baseline": pl.String,
    "window_start": pl.Date,
    "window_end": pl.Date,
    "recent_count": pl.Int64,
    "recent_total": pl.Int64,
    "recent_rate": pl.Float64,
    "before_count": pl.Int64,
    "before_total": pl.Int64,
    "before_rate": pl.Float64,
    "ratio": pl.Float64,
    "ratio_low": pl.Float64,
    "ratio_high": pl.Float64,
    "p_value": pl.Float64,
    "q_value": pl.Float64,
    "looked_at": pl.Int64,
    "recent_author_count": pl.Int64,
    "recent_feedback_count": pl.Int64,
    "elsewhere_ratio": pl.Float64,
    "elsewhere_ratio_low": pl.Float64,
    "elsewhere_ratio_high": pl.Float64,
    "is_only_here": pl.Boolean,
}


def emerging(windows: pl.DataFrame) -> pl.DataFrame:
    """One row per mode, dimension and subject that grew, out of rows of `int_mode_windows`; columns as `COLUMNS`.

    An end or ratio without a bound is null. Grew: q at most .05, so that the 95% interval of the ratio lies above 1.
    """
    tested = windows.filter(
        (pl.col("recent_total") > 0)
        & (pl.col("before_total") > 0)
        & (pl.col("recent_count") + pl.col("before_count") >= LOOKED_AT_LEAST)
    ).sort("mode_id", "dimension", "subject")
    if tested.is_empty():
        return pl.DataFrame(schema=COLUMNS)
    tested = _compared(tested, "", "recent", "before")
    tested = tested.with_columns(
        q_value=pl.Series(_q_values(tested["p_value"].to_numpy()), dtype=pl.Float64).round(9),
        looked_at=pl.lit(tested.height, dtype=pl.Int64),
        recent_rate=(pl.col("recent_count") / pl.col("recent_total")).round(9),
        before_rate=(pl.col("before_count") / pl.col("before_total")).round(9),
    )
    grown = tested.filter(
        (pl.col("q_value") <= FALSE_SHARE)
        & (pl.col("ratio_low") > 1)
        & (pl.col("recent_count") >= SHOWN_VOICES)
        & (pl.col("recent_author_count") >= SHOWN_AUTHORS)
    )
    elsewhere = grown.filter((pl.col("elsewhere_recent_total") > 0) & (pl.col("elsewhere_before_total") > 0))
    elsewhere = _compared(elsewhere, "elsewhere_", "elsewhere_recent", "elsewhere_before").select(
        "mode_id", "dimension", "subject", "elsewhere_ratio", "elsewhere_ratio_low", "elsewhere_ratio_high"
    )
    told = grown.join(elsewhere, on=["mode_id", "dimension", "subject"], how="left").with_columns(
        is_only_here=(
            (pl.col("elsewhere_ratio_low") <= 1) & (pl.col("elsewhere_ratio_high") < pl.col("ratio_low"))
        ).fill_null(value=False)
    )
    return told.sort("mode_id", "dimension", "subject").select(
        pl.col(name).cast(kind) for name, kind in COLUMNS.items()
    )


def _q_values(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,): the share of chance among all that is shown if this is, at most."""
    return cast(Any, stats).false_discovery_control(p_values)


def _compared(rows: pl.DataFrame, prefix: str, now: str, before: str) -> pl.DataFrame:
    """`rows` with ratio, ends and p-value in columns that begin with `prefix`; to 9 digits, so that builds agree."""
    found = rate_ratios(
        rows[f"{now}_count"].to_numpy(),
        rows[f"{now}_total"].to_numpy(),
        rows[f"{before}_count"].to_numpy(),
        rows[f"{before}_total"].to_numpy(),
    )
    columns = {
        "ratio": found.ratio,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "p_value": found.p_value,
    }
    return rows.with_columns(
        [
            pl.Series(prefix + name, values, dtype=pl.Float64)
            .round(9)
            .replace([float("inf"), float("nan")], [None, None])
            for name, values in columns.items()
        ]
    )
