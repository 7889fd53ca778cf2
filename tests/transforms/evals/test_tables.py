"""Comparisons, passes and saturation, from tables to tables; tau-bench by the shares that are known of it."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from transforms.evals.comparisons import Relation, comparison_table, relations
from transforms.evals.passes import pass_table
from transforms.evals.saturation import of_reports, of_specs, table

SHARED = Path(__file__).parents[4] / "shared/data"
BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLES = pl.Schema(
    {
        "spec_id": pl.String, "checkpoint_id": pl.String, "sample_id": pl.String, "trial": pl.Int64,
        "cluster": pl.String, "score": pl.Float64, "lenient": pl.Float64,
    }
)  # fmt: skip


def samples(name: str, scores: list[float | None], *, lenient: float | None = None, each: int = 4) -> pl.DataFrame:
    """One attempt a sample; `each` samples in a cluster."""
    rows: list[dict[str, Any]] = [
        {
            "spec_id": "eval-1", "checkpoint_id": name, "sample_id": f"s{number:03}", "trial": 0,
            "cluster": f"c{number // each}", "score": score, "lenient": lenient,
        }
        for number, score in enumerate(scores)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=SAMPLES)


def checkpoints(*rows: tuple[str, str | None, str, int]) -> pl.DataFrame:
    """(name, made from, standing, day)."""
    return pl.DataFrame(
        [
            {
                "checkpoint_id": name, "base_checkpoint_id": base, "role": "policy", "standing": standing,
                "registered_at": BEGINS + timedelta(days=day),
            }
            for name, base, standing, day in rows
        ]
    )  # fmt: skip


def test_each_is_compared_with_the_champion_and_with_what_it_was_made_from() -> None:
    known = checkpoints(
        ("a", None, "champion", 0), ("b", "a", "candidate", 1), ("c", "b", "refused", 2), ("d", None, "candidate", 3)
    )
    assert relations(known) == {
        "b": [Relation("a", "champion")],
        "c": [Relation("a", "champion"), Relation("b", "parent")],
        "d": [Relation("a", "champion")],
    }


def test_pairs_are_counted_and_what_is_missing_is_no_zero() -> None:
    old: list[float | None] = [0.0, 1.0] * 20
    new: list[float | None] = [1.0] * 39 + [None]
    found = comparison_table(
        pl.concat([samples("a", old, lenient=1.0), samples("b", new, lenient=1.0)]), {"b": [Relation("a", "champion")]}
    )
    [row] = found.to_dicts()
    assert (row["samples"], row["only_other"], row["only_candidate"], row["neither"]) == (39, 1, 0, 0)
    assert (row["value"], row["other"]) == (1.0, pytest.approx(19 / 39))
    assert row["difference"] == pytest.approx(20 / 39) and row["low"] > 0 and row["verdict"] == "better"
    assert row["gap_difference"] == pytest.approx(-20 / 39), "the champion's gap was wider"


def test_one_cluster_decides_nothing() -> None:
    both = pl.concat([samples("a", [0.0] * 8, each=8), samples("b", [1.0] * 8, each=8)])
    [row] = comparison_table(both, {"b": [Relation("a", "champion")]}).to_dicts()
    assert (row["difference"], row["low"], row["verdict"], row["clusters"]) == (1.0, None, "undecided", 1)


def test_an_eval_that_nearly_all_pass_is_spent_and_says_since_when() -> None:
    shares = (0.5, 0.7, 0.85, 0.95, 0.98)
    names = [f"r{number}" for number in range(len(shares))]
    known = checkpoints(*((name, None, "candidate", 30 * number) for number, name in enumerate(names)))
    scored = pl.concat(
        [
            samples(name, [float(number >= 200 * (1 - share)) for number in range(200)], lenient=1.0, each=1)
            for name, share in zip(names, shares, strict=True)
        ]
    ).with_columns(cluster=pl.lit(None, pl.String))
    specs = pl.DataFrame({"spec_id": ["eval-1"], "spec_key": ["eval:x:behaviour"]})
    [row] = table(of_specs(scored, known, specs)).to_dicts()
    assert (row["eval"], row["best"], row["is_spent"], row["trend"], row["releases"]) == (
        "eval:x:behaviour", "r4", True, "rises", 5,
    )  # fmt: skip
    day = (BEGINS - datetime(1970, 1, 1, tzinfo=UTC)).days
    assert day + 60 < row["crosses_low"] < row["crosses"] < row["crosses_high"] < day + 120
    assert 10 < row["half_life"] < 40
    assert row["gap"] == pytest.approx(1 - row["strict"])


def test_arms_of_one_run_stay_apart_and_counts_of_errors_are_no_shares() -> None:
    rows = [
        {
            "source": "x", "benchmark": "t", "metric": metric, "shots": 0, "arm": arm, "model": "m", "step": step,
            "value": value, "stderr": 0.01, "samples": None, "strictness": None, "lenient_value": None,
            "occurred_at": None, "eval_key": f"{metric}{arm}{step}",
        }
        for metric, arm, step, value in (
            ("acc", None, 1, 0.6), ("acc", None, 2, 0.7), ("acc", None, 3, 0.8), ("acc", "baseline", 3, 0.5),
            ("acc", "intervention", 3, 0.95), ("syntax_errors", None, 3, 0.0), ("perplexity", None, 3, 0.5),
        )
    ]  # fmt: skip
    schema = {
        "source": pl.String, "benchmark": pl.String, "metric": pl.String, "shots": pl.Int64, "arm": pl.String,
        "model": pl.String, "step": pl.Int64, "value": pl.Float64, "stderr": pl.Float64, "samples": pl.Int64,
        "strictness": pl.String, "lenient_value": pl.Float64, "occurred_at": pl.Datetime("us", "UTC"),
        "eval_key": pl.String,
    }  # fmt: skip
    found = table(of_reports(pl.DataFrame(rows, schema=schema))).to_dicts()
    assert [(row["arm"], row["best"], row["is_spent"], row["axis"]) for row in found] == [
        (None, "m@3", False, "step"), ("baseline", "m@3", False, "step"), ("intervention", "m@3", True, "step"),
    ]  # fmt: skip
    assert found[0]["trend"] == "rises" and found[1]["trend"] == "not_estimable"


def test_tau_bench_passes_as_its_authors_count() -> None:
    file = SHARED / "tau_bench_gpt4o_airline/trajectories.jsonl.gz"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    with gzip.open(file, "rt") as lines:
        runs = pl.DataFrame([{"task": str(row["task_id"]), "reward": row["reward"]} for row in map(json.loads, lines)])
    tried = runs.group_by(pl.col("task").alias("task_id")).agg(
        trials=pl.len().cast(pl.Int64), passed=(pl.col("reward") >= 1).sum().cast(pl.Int64)
    )
    tried = tried.with_columns(
        kind=pl.lit("rollout"), benchmark=pl.lit("tau"), subject=pl.lit("m"), cluster=pl.col("task_id")
    )
    by_k = {row["k"]: row for row in pass_table(tried).to_dicts()}
    assert by_k[1]["any_of_k"] == by_k[1]["all_of_k"] == pytest.approx(0.42)
    assert by_k[4]["any_of_k"] == pytest.approx(0.72) and by_k[4]["all_of_k"] == pytest.approx(0.20)
    assert by_k[4]["all_low"] < 0.20 < by_k[4]["all_high"] and by_k[4]["tasks"] == 50
