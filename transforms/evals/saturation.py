"""Which evals are spent: the best checkpoint passes nearly all. `fct_eval_saturation`."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

import polars as pl

from stats.clustered import clustered, share_interval
from stats.half_life import SPENT, HalfLife, half_life
from stats.wilson import wilson

SATURATION = pl.Schema(
    {
        "saturation_key": pl.String, "kind": pl.String, "eval": pl.String, "spec_id": pl.String, "arm": pl.String,
        "checkpoints": pl.Int64, "best": pl.String, "strict": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "lenient": pl.Float64, "gap": pl.Float64, "is_spent": pl.Boolean, "axis": pl.String, "trend": pl.String,
        "crosses": pl.Float64, "crosses_low": pl.Float64, "crosses_high": pl.Float64, "half_life": pl.Float64,
        "half_life_low": pl.Float64, "half_life_high": pl.Float64, "releases": pl.Int64,
    }
)  # fmt: skip
SHARES = r"(?i)acc|rate|percent|pct|exact|match|pass|score|correct|f1"
"""Names of metrics that are shares, of which more is better: counts of errors and perplexities are none."""
DAY_S = 86_400.0


class Release(NamedTuple):
    """What one checkpoint scored on one eval."""

    name: str
    at: float | None
    """Days since 1970, or the training step; None where nobody says."""
    value: float
    low: float
    high: float
    trials: float
    """Independent ones that would have this interval."""
    lenient: float | None = None


class Named(NamedTuple):
    """An eval, ours or of others."""

    kind: str
    name: str
    spec_id: str | None = None
    arm: str | None = None


def of_specs(samples: pl.DataFrame, checkpoints: pl.DataFrame, specs: pl.DataFrame) -> Iterator[dict[str, object]]:
    """A row for each spec with results, from attempts, `dim_checkpoints` and `fct_specs`."""
    registered = dict(checkpoints.select("checkpoint_id", "registered_at").iter_rows())
    keys = dict(specs.select("spec_id", "spec_key").iter_rows())
    for (spec_id,), of_spec in sorted(samples.partition_by("spec_id", as_dict=True).items()):
        releases: list[Release] = []
        for (name,), rows in sorted(of_spec.partition_by("checkpoint_id", as_dict=True).items()):
            at = registered.get(str(name))
            release = _release(str(name), at.timestamp() / DAY_S if at else None, rows)
            releases += [release] if release else []
        if releases:
            yield row(Named("spec", str(keys.get(spec_id) or spec_id), str(spec_id)), releases, "day")


def of_reports(reported: pl.DataFrame) -> Iterator[dict[str, object]]:
    """A row for each eval that others reported, from `fct_reported_evals`: shares alone, each arm for itself."""
    shares = reported.with_columns(share=_share()).filter(
        pl.col("metric").str.contains(SHARES)
        & pl.col("share").is_between(0, 1)
        & pl.col("strictness").ne_missing("lenient")
    )
    groups = shares.partition_by("benchmark", "metric", "shots", "arm", as_dict=True, include_key=True)
    for (benchmark, metric, shots, arm), rows in sorted(groups.items(), key=lambda each: tuple(map(str, each[0]))):
        by_step = rows["step"].null_count() < rows.height / 2
        listed = rows.sort("model", "step", "eval_key").iter_rows(named=True)
        releases = [_reported(each, _step(each) if by_step else _day(each)) for each in listed]
        if by_step:  # a line through the steps of one training run: that of the best
            best = max(releases, key=lambda each: (each.low, each.value)).name.rpartition("@")[0]
            releases = [each for each in releases if each.name.rpartition("@")[0] == best]
        name = f"{benchmark} {metric}" + (f" {shots}-shot" if shots is not None else "")
        named = Named("reported", name, None, None if arm is None else str(arm))
        yield row(named, releases, "step" if by_step else "day")


def row(of: Named, releases: Sequence[Release], axis: str) -> dict[str, object]:
    """What the releases say together (SATURATION)."""
    best = max(releases, key=lambda each: (each.low, each.value, each.name))
    dated = sorted((each for each in releases if each.at is not None), key=lambda each: each.at or 0.0)
    found: HalfLife | None = None
    if dated:
        found = half_life(
            [each.at or 0.0 for each in dated], [each.value * each.trials for each in dated],
            [each.trials for each in dated], SPENT,
        )  # fmt: skip
    return {
        "saturation_key": "|".join((of.kind, of.name, of.spec_id or "", of.arm or "")),
        "kind": of.kind,
        "eval": of.name,
        "spec_id": of.spec_id,
        "arm": of.arm,
        "checkpoints": len(releases),
        "best": best.name,
        "strict": best.value,
        "low": best.low,
        "high": best.high,
        "lenient": best.lenient,
        "gap": None if best.lenient is None else best.lenient - best.value,
        "is_spent": best.low > SPENT,
        "axis": axis,
        "trend": found.state if found else "not_estimable",
        "crosses": _known(found.crosses) if found and found.state == "rises" else None,
        "crosses_low": _known(found.low) if found and found.state == "rises" else None,
        "crosses_high": _known(found.high) if found and found.state == "rises" else None,
        "half_life": _known(found.half_life) if found and found.state == "rises" else None,
        "half_life_low": _known(found.half_life_low) if found and found.state == "rises" else None,
        "half_life_high": _known(found.half_life_high) if found and found.state == "rises" else None,
        "releases": len(dated),
    }


def table(rows: Iterator[dict[str, object]]) -> pl.DataFrame:
    """Floats to 9 digits, so that equal inputs give equal tables on every machine."""
    return pl.DataFrame(list(rows), schema=SATURATION).with_columns(pl.selectors.float().round(9))


def _release(name: str, at: float | None, rows: pl.DataFrame) -> Release | None:
    each = (
        rows.filter(pl.col("score").is_not_null())
        .group_by("sample_id")
        .agg(pl.col("score").mean(), pl.col("lenient").mean(), pl.col("cluster").first(), tried=pl.len())
        .sort("sample_id")
    )
    if each.is_empty():
        return None
    names = each.select(pl.coalesce(pl.lit(":") + pl.col("cluster"), pl.lit("=") + pl.col("sample_id"))).to_series()
    attempts = int(str(each["tried"].max()))
    scores = each["score"].to_list()
    value = sum(scores) / len(scores)
    if attempts == 1 and names.n_unique() == len(names):
        low, high = wilson(min(sum(scores), len(scores)), len(scores))[:2]
    else:
        ends = share_interval(clustered(scores, names.to_list()), attempts)
        low, high = float(ends[0]), float(ends[1])
    loose = each["lenient"].drop_nulls()
    lenient = float(sum(loose.to_list()) / len(loose)) if len(loose) == each.height else None
    return Release(name, at, value, low, high, _trials(value, low, high, len(scores) * attempts), lenient)


def _reported(each: dict[str, object], at: float | None) -> Release:
    value = float(str(each["share"]))
    scale = value / float(str(each["value"])) if each["value"] else 1.0
    samples = each["samples"]
    stderr = None if each["stderr"] is None else float(str(each["stderr"])) * scale
    if stderr is not None and stderr > 0:
        trials = value * (1 - value) / stderr**2 if 0 < value < 1 else 1.0
    else:
        trials = float(str(samples)) if samples is not None else 1.0
    low, high = wilson(value * trials, trials)[:2]
    name = str(each["model"]) if each["step"] is None else f"{each['model']}@{each['step']}"
    loose = each["lenient_value"]
    return Release(name, at, value, low, high, trials, None if loose is None else float(str(loose)) * scale)


def _trials(value: float, low: float, high: float, most: float) -> float:
    """How many independent attempts would have about this interval: Wilson's width read backwards, at most `most`."""
    half = (high - low) / 2
    if half <= 0 or not 0 < value < 1:
        return most
    return min(most, max(1.0, value * (1 - value) * (1.96 / half) ** 2))


def _share() -> pl.Expr:
    """A number as a share: what is called a rate or a percentage and passes 1 somewhere is in percent."""
    called = pl.col("metric").str.contains("(?i)rate|percent|score")
    whole = pl.col("value").max().over("source", "metric") > 1
    return pl.when(called & whole).then(pl.col("value") / 100).otherwise(pl.col("value"))


def _step(each: dict[str, object]) -> float | None:
    return None if each["step"] is None else float(str(each["step"]))


def _day(each: dict[str, object]) -> float | None:
    moment = each["occurred_at"]
    return moment.timestamp() / DAY_S if moment is not None and hasattr(moment, "timestamp") else None  # type: ignore[union-attr]


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
