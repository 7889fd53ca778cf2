"""How worn private benchmarks are, from the tables of the warehouse. Pure: polars in, polars out."""

import json
from typing import Any

import polars as pl

from stats.wear import Uses, is_worn, spent, width

BENCHMARKS = pl.Schema(
    {
        "benchmark": pl.String, "version": pl.Int64, "is_latest": pl.Boolean, "samples": pl.Int64,
        "clusters": pl.Int64, "effective": pl.Float64, "spec_id": pl.String, "sha256": pl.String,
        "replaces": pl.Int64, "frozen_at": pl.Datetime("us", "UTC"), "retired_at": pl.Datetime("us", "UTC"),
        "uses": pl.Int64, "decisions": pl.Int64, "looks": pl.Int64, "first_width": pl.Float64,
        "width": pl.Float64, "is_worn": pl.Boolean,
    }
)  # fmt: skip


def benchmark_table(frozen: pl.DataFrame, uses: pl.DataFrame, retired: pl.DataFrame) -> pl.DataFrame:
    """One row per benchmark and version (BENCHMARKS), from `stg_specs__benchmarks_frozen` with each version once,
    `fct_benchmark_uses`, and the specs that were retired.
    """
    ended = dict(retired.iter_rows())
    newest = dict(frozen.group_by("benchmark").agg(pl.col("version").max()).iter_rows())
    told: dict[tuple[str, int], set[int]] = {}
    """Versions whose uses count for each: its own, and those of versions that it shares samples with."""
    rows: list[dict[str, Any]] = []
    for each in frozen.sort("benchmark", "version").iter_rows(named=True):
        of_name = uses.filter(pl.col("benchmark") == each["benchmark"])
        own = of_name.filter(pl.col("version") == each["version"])
        shared = json.loads(each["shares"] or "[]")
        told[each["benchmark"], each["version"]] = {each["version"]}.union(
            *(told.get((each["benchmark"], version), set()) for version in shared)
        )
        asked = _asked(of_name.filter(pl.col("version").is_in(list(told[each["benchmark"], each["version"]]))))
        n = float(each["effective"])
        rows.append(
            {
                **{name: each[name] for name in BENCHMARKS.names() if name in each},
                "is_latest": each["version"] == newest[each["benchmark"]],
                "frozen_at": each["received_at"],
                "retired_at": ended.get(each["spec_id"]),
                "uses": own.height,
                "decisions": own.filter(pl.col("purpose") == "decision").height,
                "looks": own.filter(pl.col("purpose") == "look").height,
                "first_width": width(n),
                "width": width(n, spent(asked)),
                "is_worn": is_worn(n, asked, each["sees"]),
            }
        )
    return pl.DataFrame(rows, schema=BENCHMARKS, orient="row").with_columns(pl.selectors.float().round(9))


def _asked(uses: pl.DataFrame) -> Uses:
    decisions = uses.filter(pl.col("purpose") == "decision")
    said = decisions.filter(pl.col("better").is_not_null())
    return Uses(
        decisions=said.height,
        better=int(said["better"].sum() or 0),
        looks=uses.filter(pl.col("purpose") == "look").height,
        unsaid=decisions.height - said.height,
    )
