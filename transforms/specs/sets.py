"""Frozen sets: the samples of a spec as a Parquet file named by its SHA-256."""

import hashlib
import io

import polars as pl

from ingest.durable import put_if_absent
from ingest.home import Home
from ingest.jobs.samples import TEXTS
from models.specs import DataRef

SCHEMA = pl.Schema(
    {
        "sample_id": pl.String,
        "conversation_id": pl.String,
        "checkpoint_id": pl.String,
        "target_kind": pl.String,
        "target_id": pl.String,
        "text": pl.String,
        "prompt": pl.String,
        "completion": pl.String,
        "is_negative": pl.Boolean,
        "mode_id": pl.String,
    }
)
"""One row a sample. Judges read `text`, policies are scored on their `completion`; the rest is label and origin."""


EPISODES = pl.Schema({"sample_id": pl.String, "mode_id": pl.String, "episode": pl.String})
"""One row a sample of a behaviour, whole in `episode` as JSON."""


def freeze(rows: pl.DataFrame, schema: pl.Schema = SCHEMA, *, canary: str | None = None) -> tuple[DataRef, bytes]:
    """The reference to `rows` (columns of `schema`, sorted by sample) and the file's bytes: equal rows, equal bytes.

    A `canary` stands in each row, in a column of its own that no reader of samples looks at.
    """
    file = io.BytesIO()
    frozen = rows.select(schema.names()).cast(schema).sort("sample_id")
    if canary is not None:
        frozen = frozen.with_columns(pl.lit(canary).alias("canary"))
    frozen.write_parquet(file, compression="zstd")
    content = file.getvalue()
    return DataRef(sha256=hashlib.sha256(content).hexdigest(), rows=rows.height), content


def is_kept(home: Home, data: DataRef) -> bool:
    """Whether the file of `data` is there."""
    return (home.sets / f"{data.sha256}.parquet").exists()


def keep(home: Home, data: DataRef, content: bytes, *, mode: int = 0o666) -> None:
    """Write the file of `data`, unless it is there. `mode`: who may read it."""
    put_if_absent(home.sets / f"{data.sha256}.parquet", content, mode=mode)


def texts_of(content: bytes) -> list[tuple[str, list[str]]]:
    """What a set holds to learn from: each sample's id and its texts."""
    rows = pl.read_parquet(io.BytesIO(content))
    columns = [name for name in TEXTS if name in rows.columns]
    return [
        (str(row["sample_id"]), [str(row[name]) for name in columns if row[name]])
        for row in rows.select("sample_id", *columns).iter_rows(named=True)
    ]
