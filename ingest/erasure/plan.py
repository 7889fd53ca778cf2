"""What an erasure is about to do, written down before it does it: a crash in the middle leaves nothing out.

Some rows can only be found through others that lose their content first (an anonymous id, a quoted text). So positions
are kept until they are done, and hashes of texts until their vectors are gone. No text is.
"""

import io
import json
from collections.abc import Iterable

import polars as pl

from ingest.durable import make_folder, replace
from ingest.erasure.requests import Request
from ingest.erasure.search import MARKS
from ingest.home import Home

PLANNED = pl.Schema({"topic": pl.String, "log_partition": pl.Int32(), "log_offset": pl.Int64(), "key": pl.String})


def planned(home: Home, requests: list[Request]) -> pl.DataFrame:
    """MARKS that are still to be done; none as a rule."""
    file = home.erasures / "plan.parquet"
    if not file.exists():
        return pl.DataFrame(schema=MARKS)
    places = {request.key: place for place, request in enumerate(requests)}
    request = pl.col("key").replace_strict(places, default=None, return_dtype=pl.Int32).alias("request")
    return pl.read_parquet(file, glob=False).with_columns(request).drop_nulls("request").select(MARKS.names())


def planned_texts(home: Home) -> set[str]:
    """Hashes of texts whose vectors are still to go."""
    file = home.erasures / "plan.json"
    return set(json.loads(file.read_text())) if file.exists() else set()


def keep_plan(home: Home, marks: pl.DataFrame, requests: list[Request], text_hashes: Iterable[str]) -> None:
    """Write down what is about to be done."""
    make_folder(home.erasures)
    keys = dict(enumerate(request.key for request in requests))
    key = pl.col("request").replace_strict(keys, return_dtype=pl.String).alias("key")
    content = io.BytesIO()
    marks.with_columns(key).select(PLANNED.names()).write_parquet(content)
    replace(home.erasures / "plan.json", json.dumps(sorted(text_hashes)).encode())
    replace(home.erasures / "plan.parquet", content.getvalue())


def drop_plan(home: Home) -> None:
    """It is done."""
    for name in ("plan.parquet", "plan.json"):
        (home.erasures / name).unlink(missing_ok=True)
