"""Any of k, and all of k: `fct_pass_rates`, of tasks that were tried several times."""

from math import isfinite

import polars as pl

from stats.passes import mean, pass_all, pass_at

PASSES = pl.Schema(
    {
        "kind": pl.String, "benchmark": pl.String, "subject": pl.String, "k": pl.Int64, "any_of_k": pl.Float64,
        "any_low": pl.Float64, "any_high": pl.Float64, "all_of_k": pl.Float64, "all_low": pl.Float64,
        "all_high": pl.Float64, "tasks": pl.Int64, "too_few": pl.Int64,
    }
)  # fmt: skip
MOST = 10
"""The greatest k: more are hardly asked for."""


def pass_table(tried: pl.DataFrame) -> pl.DataFrame:
    """One row per kind, benchmark, subject and k, from rows of tasks (`cluster`, `trials`, `passed`). PASSES.

    k goes from 1 to what most tasks were tried, at most MOST.
    """
    rows: list[dict[str, object]] = []
    groups = tried.partition_by("kind", "benchmark", "subject", as_dict=True, include_key=True)
    for key, group in sorted(groups.items(), key=lambda each: tuple(map(str, each[0]))):
        tasks = group.sort("task_id")
        usual = tasks["trials"].mode().max()
        for k in range(1, min(int(str(usual)), MOST) + 1):
            clusters = tasks["cluster"].to_list()
            some = mean(pass_at(tasks["trials"].to_numpy(), tasks["passed"].to_numpy(), k), clusters)
            every = mean(pass_all(tasks["trials"].to_numpy(), tasks["passed"].to_numpy(), k), clusters)
            rows.append(
                {
                    **dict(zip(("kind", "benchmark", "subject"), key, strict=True)),
                    "k": k,
                    **dict(zip(("any_of_k", "any_low", "any_high"), map(_known, some[:3]), strict=True)),
                    **dict(zip(("all_of_k", "all_low", "all_high"), map(_known, every[:3]), strict=True)),
                    "tasks": some.tasks,
                    "too_few": some.too_few,
                }
            )
    return pl.DataFrame(rows, schema=PASSES).with_columns(pl.selectors.float().round(12))


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
