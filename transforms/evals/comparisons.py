"""Checkpoints beside the one that they would replace, or were made from: `fct_eval_comparisons`."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import NamedTuple

import polars as pl

from stats.paired import Paired, paired
from transforms.evals.attempts import attempts, by_eval

COMPARISONS = pl.Schema(
    {
        "spec_id": pl.String, "checkpoint_id": pl.String, "against": pl.String, "relation": pl.String,
        "value": pl.Float64, "other": pl.Float64, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "p": pl.Float64, "samples": pl.Int64, "clusters": pl.Int64, "only_candidate": pl.Int64, "only_other": pl.Int64,
        "neither": pl.Int64, "paired_share": pl.Float64, "gap_difference": pl.Float64, "gap_low": pl.Float64,
        "gap_high": pl.Float64, "verdict": pl.String,
    }
)  # fmt: skip


class Relation(NamedTuple):
    """Who a checkpoint is compared with, and as what."""

    against: str
    name: str
    """champion or parent."""


def relations(checkpoints: pl.DataFrame) -> dict[str, list[Relation]]:
    """By checkpoint, from `dim_checkpoints`: its role's champion, and what it was made from."""
    champions = {
        row["role"]: row["checkpoint_id"] for row in checkpoints.iter_rows(named=True) if row["standing"] == "champion"
    }
    found: dict[str, list[Relation]] = {}
    for row in checkpoints.sort("checkpoint_id").iter_rows(named=True):
        name, champion = row["checkpoint_id"], champions.get(row["role"])
        if champion is not None and champion != name:
            found.setdefault(name, []).append(Relation(champion, "champion"))
        if row["base_checkpoint_id"] not in (None, champion, name):
            found.setdefault(name, []).append(Relation(row["base_checkpoint_id"], "parent"))
    return found


def comparison_table(samples: pl.DataFrame, related: Mapping[str, Iterable[Relation]]) -> pl.DataFrame:
    """One row per spec, checkpoint and related one that both have results (COMPARISONS). Floats to 12 digits."""
    rows: list[dict[str, object]] = []
    for spec_id, by_checkpoint in by_eval(samples):
        for name, mine in by_checkpoint.items():
            for against, relation in related.get(name, ()):
                if against in by_checkpoint:
                    rows.append(_row(spec_id, name, Relation(against, relation), mine, by_checkpoint[against]))
    return pl.DataFrame(rows, schema=COMPARISONS).with_columns(pl.selectors.float().round(12))


def _row(spec_id: str, name: str, relation: Relation, mine: pl.DataFrame, theirs: pl.DataFrame) -> dict[str, object]:
    found = paired(attempts(mine), attempts(theirs))
    gap = _gaps(mine, theirs)
    return {
        "spec_id": spec_id,
        "checkpoint_id": name,
        "against": relation.against,
        "relation": relation.name,
        "value": _known(found.candidate),
        "other": _known(found.other),
        "difference": _known(found.difference),
        "low": _known(found.low),
        "high": _known(found.high),
        "p": _known(found.p),
        "samples": found.pairs,
        "clusters": found.clusters,
        "only_candidate": found.only_candidate,
        "only_other": found.only_other,
        "neither": found.neither,
        "paired_share": found.share,
        "gap_difference": _known(gap.difference) if gap else None,
        "gap_low": _known(gap.low) if gap else None,
        "gap_high": _known(gap.high) if gap else None,
        "verdict": verdict(found),
    }


def verdict(found: Paired) -> str:
    """better or worse where the interval says so, level where it has no room for 5 points, else undecided."""
    if not isfinite(found.low) or not isfinite(found.high):
        return "undecided"
    if found.low > 0:
        return "better"
    if found.high < 0:
        return "worse"
    return "level" if max(-found.low, found.high) < LEVEL else "undecided"


LEVEL = 0.05
"""A difference below it is none, as far as a gate is planned for 5 points."""


def _gaps(mine: pl.DataFrame, theirs: pl.DataFrame) -> Paired | None:
    """The same of lenient less strict; None where the eval has one reading."""
    sides = [each.with_columns(gap=pl.col("lenient") - pl.col("score")) for each in (mine, theirs)]
    if any(each["gap"].null_count() == each.height for each in sides):
        return None
    return paired(attempts(sides[0], "gap"), attempts(sides[1], "gap"))


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
