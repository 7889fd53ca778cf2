"""What the marts of an experiment cost: metric rows of 60 days, built but for the last day, then that day alone.

For `benchmarks.experiments`. One person for 25 rows, half of them exposed from the twentieth day on; three metrics. CPU
seconds and peak memory are of processes of their own, both builds of one, as in a build loop. Beside it pandas and
tea-tasting: all rows read, one sum a person, the last day's test alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.segments import Footer, ensure_empty, next_position, write
from models.topics import TOPICS

ROOT = Path(__file__).parents[1]
DAYS: Final = 60
STARTS: Final = 20
"""The day on which the experiment begins."""
PERSONS_OF: Final = 25
"""Rows a person."""
PARTITION: Final = 100
MEMORY: Final = "FLYWHEEL_BUILD_MEMORY"
BUILD_MEMORY: Final = "1600MB"
"""What DuckDB may hold; Python and dbt come on top."""
BEGINS: Final = datetime(2026, 8, 1, tzinfo=UTC)
OWN: Final = {
    "minutes": "kind: mean\ndirection: higher\nunit: minutes\nnumerator: {of: observed, name: minutes, value: value}\n"
    "window_days: 28\ncap: 600",
    "clicks": "kind: proportion\ndirection: higher\nunit: share\n"
    "numerator: {of: observed, name: clicks, value: one}\nwindow_days: 7",
}
BUILDS = """
import json, resource, sys
from pathlib import Path
from benchmarks.experiments_marts import peak_gb
from ingest.home import Home
from transforms.build import BuildPolicy, build
before = 0.0
for _ in sys.stdin:
    build(Home.existing(Path(sys.argv[1])), policy=BuildPolicy(tested=False))
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    print(json.dumps({"cpu": spent - before, "peak": peak_gb()}), flush=True)
    before = spent
"""
STATISTICS = """
import json, resource, sys, time
from pathlib import Path
import duckdb
from transforms.experiments.tables import Tables, fields, outcome_table
sums = ", ".join(f"cast(sum({each}) as double) as {each}" for each in fields())
with duckdb.connect(sys.argv[1], read_only=True) as file:
    began = time.process_time()
    tables = Tables(
        file.sql("from int_experiments").pl(),
        file.sql("from int_experiment_arms").pl(),
        file.sql("from dim_metrics").pl(),
        file.sql("select experiment_id, variant, exposed_day, count(*) as units from int_exposed_units "
                 "where fault is null group by all").pl(),
        file.sql(f"select experiment_id, metric, variant, day, {sums} from int_ab_increments group by all").pl(),
        file.sql("from int_ab_bins order by day").pl(),
        file.sql("select max(day) from int_unit_days").fetchall()[0][0],
    )
    rows = outcome_table(tables)
    print(json.dumps({"cpu": time.process_time() - began, "rows": len(rows)}))
"""
PANDAS = """
import json, resource, sys, time
import pandas as pd
import tea_tasting as tt
rows = pd.read_parquet(sys.argv[1])
met = pd.read_parquet(sys.argv[2])
rows = rows.merge(met, on="person")
after, before = rows[rows.moment >= rows.exposed_at], rows[rows.moment < rows.exposed_at]
units = met.copy()
for name in ("accepted", "minutes", "clicks"):
    of = after[after.metric == name].groupby("person").value
    units = units.merge(of.agg(["sum", "count"]).add_prefix(name + "_"), left_on="person", right_index=True, how="left")
    past = before[before.metric == name].groupby("person").value.sum().rename(name + "_before")
    units = units.merge(past, left_on="person", right_index=True, how="left")
units = units.fillna(0)
units["any"] = (units.clicks_count > 0).astype(float)
found = tt.Experiment(
    accepted=tt.RatioOfMeans("accepted_sum", "accepted_count", numer_covariate="accepted_before"),
    minutes=tt.Mean("minutes_sum", "minutes_before"),
    clicks=tt.Mean("any"),
    ratio=tt.SampleRatio(),
).analyze(units.rename(columns={"arm": "variant"}), control=0)
used = resource.getrusage(resource.RUSAGE_SELF)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1e6
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": peak}))
"""


def peak_gb() -> float:
    """The most that this process has held in memory. (`ru_maxrss` has that of who started it, too.)"""
    told = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in told if line.startswith("VmHWM")) / 1e6


def measured(rows: int) -> dict[str, float]:
    """Land, build, land a day more, build again, and let pandas do the same. Prints a table, returns the figures."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder) / "home")
        (home.path / "metrics").mkdir()
        for name, said in OWN.items():
            text = f"title: {name}\ndescription: Of a benchmark.\nowner: benchmarks\n{said}\n"
            (home.path / "metrics" / f"{name}.yml").write_text(text)
        for topic in TOPICS:
            ensure_empty(home, topic)
        raw = _land(home, rows, Path(folder))
        command = [sys.executable, "-c", BUILDS, str(home.path)]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, MEMORY: BUILD_MEMORY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as loop:
            full = _built(loop)
            _land_day(home, *raw, DAYS - 1)
            day = _built(loop)
        statistics = _run(STATISTICS, str(home.warehouse))
        peer = _run(PANDAS, str(Path(folder) / "rows.parquet"), str(Path(folder) / "met.parquet"))
    figures = {
        "rows": float(rows),
        "full_cpu_s": full["cpu"],
        "increment_cpu_s": day["cpu"],
        "increment_share": day["cpu"] / full["cpu"],
        "stats_cpu_s": statistics["cpu"],
        "peak_gb": max(full["peak"], day["peak"]),
        "pandas_cpu_s": peer["cpu"],
        "pandas_peak_gb": peer["peak"],
    }
    print(f"\n{rows:,} metric rows of {rows // PERSONS_OF:,} persons in {DAYS} days")
    print(f"{'':44} {'CPU s':>8} {'peak GB':>8}")
    print(f"{'full build of 59 days, all days of outcomes':44} {full['cpu']:8.1f} {full['peak']:8.2f}")
    print(f"{'the last day ' + format(figures['increment_share'], '.1%') + ' of it':44} {day['cpu']:8.1f} "
          f"{day['peak']:8.2f}")  # fmt: skip
    print(f"{'statistics, ' + format(int(statistics['rows']), ',') + ' outcomes':44} {statistics['cpu']:8.2f}")
    print(f"{'pandas and tea-tasting, the last day alone':44} {peer['cpu']:8.1f} {peer['peak']:8.2f}")
    print(f"ratio of pandas to one day's increment: {peer['cpu'] / day['cpu']:.1f}")
    return {name: round(value, 5) for name, value in figures.items()}


def _built(loop: "subprocess.Popen[str]") -> dict[str, float]:
    """What the loop's next build took."""
    assert loop.stdin and loop.stdout
    loop.stdin.write("\n")
    loop.stdin.flush()
    return json.loads(loop.stdout.readline())


def _run(script: str, *arguments: str) -> dict[str, float]:
    """The last line of a process of its own, as JSON."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _land(home: Home, rows: int, folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All days but the last, after the start; and the raw rows for the peer. Returns the rows and who met what."""
    chance = np.random.default_rng(6)
    persons = rows // PERSONS_OF
    micro = 86_400_000_000
    moments = np.sort(chance.integers(0, DAYS * micro, rows)) + int(BEGINS.timestamp() * 1e6)
    names = np.array(["accepted", "minutes", "clicks"])
    who = (persons * chance.random(rows) ** 2).astype(np.int64)
    which = chance.integers(0, 3, rows)
    value = np.where(which == 1, chance.gamma(2, 10, rows), (chance.random(rows) < 0.3).astype(float))
    table = pl.DataFrame({"person": who, "metric": pl.Series(names).gather(which), "value": value, "at": moments})
    table = table.with_columns(moment=pl.col("at").cast(pl.Datetime("us", "UTC"))).drop("at")
    since = BEGINS + timedelta(days=STARTS)
    met = (
        table.filter((pl.col("moment") >= since) & (pl.col("person") % 2 == 0))
        .group_by("person")
        .agg(exposed_at=pl.col("moment").min())
        .with_columns(arm=(pl.col("person").hash(9) % 2).cast(pl.Int64))
        .sort("exposed_at")
    )
    table.write_parquet(folder / "rows.parquet")
    met.write_parquet(folder / "met.parquet")
    start = pl.DataFrame({"type": ["experiment.started.v1"], "event_id": ["start"], "experiment_id": ["big"]})
    _write(home, start.with_columns(
        unit=pl.lit("person"), received_at=pl.lit(BEGINS), occurred_at=pl.lit(BEGINS),
        plan_metric=pl.lit("accept_rate"),
        plan_guardrails=pl.lit('["minutes"]'), plan_alpha=pl.lit(0.05), plan_days=pl.lit(40),
        variants=pl.lit('[{"name":"0","weight":1.0},{"name":"1","weight":1.0}]'),
    ))  # fmt: skip
    for day in range(DAYS - 1):
        _land_day(home, table, met, day)
    return table, met


def _land_day(home: Home, table: pl.DataFrame, met: pl.DataFrame, day: int) -> None:
    first = BEGINS + timedelta(days=day)
    of_day = pl.col("moment").is_between(first, first + timedelta(days=1), closed="left")
    rows = table.with_row_index("number").filter(of_day)
    _write(home, rows.select(
        pl.lit("experiment.metric_observed.v1").alias("type"), pl.format("m-{}", "number").alias("event_id"),
        pl.format("u{}", "person").alias("person_id"), "metric", "value",
        received_at=pl.col("moment"), occurred_at=pl.col("moment"),
    ))  # fmt: skip
    seen = met.filter(pl.col("exposed_at").is_between(first, first + timedelta(days=1), closed="left"))
    _write(home, seen.select(
        pl.lit("experiment.exposure_logged.v1").alias("type"), pl.format("e-{}", "person").alias("event_id"),
        pl.format("u{}", "person").alias("person_id"), pl.lit("big").alias("experiment_id"),
        pl.col("arm").cast(pl.String).alias("variant"),
        received_at=pl.col("exposed_at"), occurred_at=pl.col("exposed_at"),
    ))  # fmt: skip


def _write(home: Home, frame: pl.DataFrame) -> None:
    """`frame` as one segment of the topic `experiments`, with what every record has."""
    if frame.is_empty():
        return
    start = next_position(home, "experiments", PARTITION)
    frame = frame.with_columns(
        topic=pl.lit("experiments"),
        log_partition=pl.lit(PARTITION, pl.Int32),
        log_offset=pl.int_range(start, start + frame.height, dtype=pl.Int64),
        record_headers=pl.lit("[]"),
        repaired=pl.lit(value=False),
        source=pl.lit("app"),
        content_hash=pl.col("event_id").hash(1).cast(pl.String),
        raw=pl.col("event_id").cast(pl.Binary),
    )
    kinds = schema("experiments")
    missing = [pl.lit(None, kind).alias(name) for name, kind in kinds.items() if name not in frame.columns]
    frame = frame.with_columns(missing).select(kinds.names()).cast(kinds)
    footer = Footer("experiments", PARTITION, start + frame.height, "grown", "grown", 0)
    if not write(home, start, frame, footer):
        raise SystemExit(f"segment {start} was there already")


if __name__ == "__main__":
    began = time.monotonic()
    measured(int(sys.argv[1]))
    print(f"{time.monotonic() - began:.0f} s")
