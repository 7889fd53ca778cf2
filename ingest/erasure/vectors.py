"""Vectors of erased texts leave the cache. One that somebody else wrote as well is made again when it is asked for."""

import hashlib
import io
from collections.abc import Set

import polars as pl

from ingest.durable import put_if_absent
from ingest.erasure.lake_files import sha256
from ingest.home import Home

TRIES = 20
"""Looks at the cache: another process may merge files that this one has just read."""


def forget(home: Home, text_hashes: Set[str]) -> list[tuple[str, str, str | None]]:
    """Take these texts out of every file of vectors: (file, SHA-256 before, after) of each that had one.

    A file is named by its content, so the rest of its rows go into another.
    """
    touched: list[tuple[str, str, str | None]] = []
    wanted = pl.Series("text_hash", sorted(text_hashes), dtype=pl.String).implode()
    for _ in range(TRIES if text_hashes else 0):
        found = False
        for file in sorted(home.embeddings.rglob("*.parquet")):
            try:
                frame = pl.read_parquet(file, glob=False)
                before = sha256(file)
            except FileNotFoundError:
                continue
            rest = frame.filter(~pl.col("text_hash").is_in(wanted))
            if rest.height == frame.height:
                continue
            found = True
            after = None
            if rest.height:
                content = io.BytesIO()
                rest.write_parquet(content)
                after = hashlib.sha256(content.getvalue()).hexdigest()
                put_if_absent(file.with_name(f"{after}.parquet"), content.getvalue())
            file.unlink(missing_ok=True)
            touched.append((f"embeddings/{file.parent.name}/{file.name}", before, after))
        if not found:
            break
    return touched
