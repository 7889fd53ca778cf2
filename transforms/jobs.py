"""Where each job stands, as a table: the fold that workers use, over the events in the warehouse. Pure."""

import json
from collections.abc import Iterator
from datetime import datetime

import polars as pl

from ingest.jobs.fold import fold
from ingest.lake.columns import MOMENT
from models.events import AnyEvent, parse

SCHEMA = pl.Schema(
    {
        "job_id": pl.String,
        "kind": pl.String,
        "spec_id": pl.String,
        "checkpoint_id": pl.String,
        "status": pl.String,
        "epoch": pl.Int64,
        "owner": pl.String,
        "attempts": pl.Int64,
        "step": pl.Int64,
        "phase": pl.String,
        "reason": pl.String,
        "admitted": pl.String,
        "queued_at": MOMENT,
        "updated_at": MOMENT,
    }
)


def states(events: pl.DataFrame) -> pl.DataFrame:
    """One row per job (SCHEMA) from `events` (`canonical`, `received_at`) in the order of the log.

    `attempts` counts the claims that won and were not given back. `admitted` is a JSON list of the epochs whose results
    count, each up to a step.
    """

    def parsed() -> Iterator[tuple[AnyEvent, datetime]]:
        for canonical, received_at in events.iter_rows():
            yield parse(canonical.encode()), received_at

    rows = [
        {
            **{name: value for name, value in state._asdict().items() if name in SCHEMA},
            "attempts": state.epoch - state.yielded,
            "admitted": json.dumps([admitted._asdict() for admitted in state.admitted]),
        }
        for state in fold(parsed()).values()
    ]
    return pl.DataFrame(rows, schema=SCHEMA)
