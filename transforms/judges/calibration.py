"""From what judges and people said to what a judge is worth, and whether it may gate. Pure: polars in, polars out.

The first LABELS labels, in the order in which they came, calibrate a judge; all later ones watch it for drift.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import numpy as np
import polars as pl

from stats.agreement import Confusion, corrected_rate, kappa, swap_consistency
from stats.calibration import brier, expected_calibration_error, reliability
from stats.drift import drift

LABELS: Final = 200
"""A judge gates with so many human labels behind it: kappa is then known to a tenth either way."""
KAPPA: Final = 0.4
"""And if the lower end of its kappa is above this: moderate agreement, by Landis and Koch (1977)."""
SWAPS: Final = 0.8
"""And, of pairs that it compared in both orders, if it kept its answer of so many."""

KEY = ("judge_id", "judge_version", "metric")

CALIBRATION = pl.Schema(
    {
        "judge_id": pl.String, "judge_version": pl.String, "metric": pl.String, "kind": pl.String,
        "is_ours": pl.Boolean, "answers": pl.Int64, "labels": pl.Int64, "kappa": pl.Float64, "kappa_low": pl.Float64,
        "kappa_high": pl.Float64, "accuracy": pl.Float64, "true_positive_rate": pl.Float64,
        "true_negative_rate": pl.Float64, "brier": pl.Float64, "calibration_error": pl.Float64,
        "swapped_pairs": pl.Int64, "swap_consistency": pl.Float64, "swap_low": pl.Float64, "place_share": pl.Float64,
        "raw_rate": pl.Float64, "corrected_rate": pl.Float64, "corrected_low": pl.Float64,
        "corrected_high": pl.Float64, "watched_labels": pl.Int64, "recent_accuracy": pl.Float64,
        "accuracy_floor": pl.Float64, "drifted_at": pl.Datetime("us", "UTC"), "samples_gated": pl.Int64,
        "may_gate": pl.Boolean, "reason": pl.String, "withdrawn_at": pl.Datetime("us", "UTC"),
    }
)  # fmt: skip

BINS = pl.Schema(
    {
        "judge_id": pl.String, "judge_version": pl.String, "metric": pl.String, "bin": pl.Int64, "labels": pl.Int64,
        "mean_probability": pl.Float64, "observed_share": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    }
)  # fmt: skip

Row = dict[str, Any]


def calibration_table(
    answers: pl.DataFrame, labels: pl.DataFrame, swaps: pl.DataFrame, withdrawn: pl.DataFrame, gated: pl.DataFrame
) -> pl.DataFrame:
    """One row per judge, version and metric (CALIBRATION).

    `answers` counts what each said (KEY, kind, is_ours, answers, positives); `labels` are rows of `int_judge_labels` in
    the order in which people said them; `swaps` counts pairs judged in both orders (KEY, pairs, kept, by_place);
    `withdrawn` is by judge, `gated` counts eval samples by judge and version.
    """
    labelled = {tuple(map(str, key)): frame for key, frame in labels.partition_by(KEY, as_dict=True).items()}
    swapped = {tuple(row[name] for name in KEY): row for row in swaps.iter_rows(named=True)}
    ended = {row["judge_id"]: row for row in withdrawn.iter_rows(named=True)}
    used = {(row["judge_id"], row["judge_version"]): row["gated"] for row in gated.iter_rows(named=True)}
    rows: list[Row] = []
    for said in answers.sort(*KEY).iter_rows(named=True):
        key = tuple(said[name] for name in KEY)
        row: Row = {**dict.fromkeys(CALIBRATION.names()), **{name: said[name] for name in (*KEY, "kind", "is_ours")}}
        row["answers"], row["samples_gated"] = said["answers"], used.get(key[:2], 0)
        row |= _agreement(said, labelled.get(key))
        row |= _swaps(swapped.get(key))
        end = ended.get(said["judge_id"])
        row["withdrawn_at"] = end["withdrawn_at"] if end else None
        row["reason"] = why_not(row, end["withdrawn_reason"] if end else None)
        row["may_gate"] = row["reason"] == "may gate"
        rows.append(row)
    return pl.DataFrame(rows, schema=CALIBRATION, orient="row").with_columns(pl.selectors.float().round(9))


def why_not(row: Mapping[str, Any], withdrawn: str | None = None) -> str:
    """`may gate`, or the first thing that a judge lacks for it."""
    if withdrawn is not None:
        return f"withdrawn: {withdrawn}"
    if row["labels"] < LABELS:
        return f"{row['labels']} of {LABELS} human labels"
    if row["drifted_at"] is not None:
        return f"drifted: right of {row['recent_accuracy']:.0%} lately, at least {row['accuracy_floor']:.0%} at first"
    if row["kappa_low"] is None:
        return "people, or the judge, gave one answer only: there is no agreement to speak of"
    if row["kappa_low"] <= KAPPA:
        return f"kappa {row['kappa']:.2f} may be {row['kappa_low']:.2f}: above {KAPPA} is needed"
    if row["swap_consistency"] is not None and row["swap_consistency"] < SWAPS:
        return f"keeps {row['swap_consistency']:.0%} of its answers when sides are swapped: {SWAPS:.0%} is needed"
    return "may gate"


def bins_table(labels: pl.DataFrame) -> pl.DataFrame:
    """One row per judge, version, metric and tenth of the scale with a label in it (BINS)."""
    rows: list[Row] = []
    for key, frame in sorted(labels.partition_by(KEY, as_dict=True).items()):
        found = reliability(frame["probability"].to_numpy(), frame["person_says_yes"].to_numpy())
        rows += [{**dict(zip(KEY, key, strict=True)), **each._asdict()} for each in found]
    renamed = [
        {("mean_probability" if name == "mean" else "observed_share" if name == "share" else name): value
         for name, value in row.items()} for row in rows
    ]  # fmt: skip
    return pl.DataFrame(renamed, schema=BINS, orient="row").with_columns(pl.selectors.float().round(9))


def _agreement(said: Row, labels: pl.DataFrame | None) -> Row:
    if labels is None:
        return {"labels": 0, "watched_labels": 0}
    judge, people = labels["judge_says_yes"].to_numpy(), labels["person_says_yes"].to_numpy()
    table, beyond = Confusion.of(judge, people), kappa(Confusion.of(judge, people))
    found: Row = {
        "labels": table.n,
        "accuracy": table.accuracy,
        "true_positive_rate": table.true_positive_rate,
        "true_negative_rate": table.true_negative_rate,
    }
    if beyond is not None:
        found |= {"kappa": beyond.value, "kappa_low": beyond.low, "kappa_high": beyond.high}
    probable = labels.filter(pl.col("probability").is_not_null())
    if probable.height == labels.height:
        probabilities = probable["probability"].to_numpy()
        found |= {
            "brier": brier(probabilities, people),
            "calibration_error": expected_calibration_error(probabilities, people),
        }
    if said["kind"] != "pair":  # of a pair, yes is whichever side sorts first
        found["raw_rate"] = said["positives"] / said["answers"]
        rate = corrected_rate(said["positives"], said["answers"], table)
        if rate is not None:
            found |= {"corrected_rate": rate.value, "corrected_low": rate.low, "corrected_high": rate.high}
    return found | _watched(judge == people, labels["labelled_at"].to_list())


def _watched(right: "np.ndarray[Any, np.dtype[np.bool_]]", moments: list[datetime]) -> Row:
    """What the labels after the first LABELS say."""
    if len(right) <= LABELS:
        return {"watched_labels": 0}
    found = drift(right[LABELS:], int(right[:LABELS].sum()), LABELS)
    return {
        "watched_labels": found.labels,
        "recent_accuracy": found.recent,
        "accuracy_floor": found.floor,
        "drifted_at": None if found.since is None else moments[LABELS + found.since - 1],
    }


def _swaps(counted: Row | None) -> Row:
    found = swap_consistency(counted["kept"], counted["by_place"], counted["pairs"]) if counted else None
    if found is None:
        return {"swapped_pairs": 0}
    return {
        "swapped_pairs": found.pairs,
        "swap_consistency": found.share,
        "swap_low": found.low,
        "place_share": found.place / found.pairs,
    }
