"""What benchmarks hold out, as the guard compares it."""

import io
from collections.abc import Iterable

import polars as pl

from evals.benchmark.versions import Version, content_of
from ingest.home import Home
from ingest.jobs.samples import TEXTS
from text.held_out import Held


def held_out(home: Home, frozen: Iterable[Version]) -> list[Held]:
    """The samples of all `frozen` versions that stand. Raises TerminalError for one that was changed or is gone."""
    found: list[Held] = []
    for version in frozen:
        if version.retired:
            continue
        rows = pl.read_parquet(io.BytesIO(content_of(home, version)))
        columns = [name for name in TEXTS if name in rows.columns]
        for row in rows.select("sample_id", *columns).iter_rows(named=True):
            texts = tuple(str(row[name]) for name in columns if row[name])
            found.append(Held(f"{version.name} {row['sample_id']}", texts, version.frozen.canary))
    return found
