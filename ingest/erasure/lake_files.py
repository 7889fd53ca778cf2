"""The files of the lake as erasing sees them: whatever holds rows of a topic, whoever wrote it and under which name."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from ingest.home import Home

Signature = tuple[int, int, int]
"""Of a file: bytes, time of the last change (ns), inode."""


def files(home: Home, topic: str) -> list[Path]:
    """Every file with rows of `topic`, segments and merged ones, sorted."""
    folder = home.lake / topic
    found = (file for file in folder.rglob("*.parquet") if not file.name.startswith("."))
    return sorted(file for file in found if file.relative_to(folder).parts[0] != "schema")


def signature(file: Path) -> Signature:
    """What changes with the file."""
    said = file.stat()
    return (said.st_size, said.st_mtime_ns, said.st_ino)


def columns(file: Path, wanted: tuple[str, ...], schema: pl.Schema) -> pl.DataFrame:
    """These columns of `file`; null where it was written before there was such a column."""
    there = set(pl.scan_parquet(file, glob=False).collect_schema().names())
    frame = pl.read_parquet(file, columns=[name for name in wanted if name in there], glob=False)
    return frame.with_columns(pl.lit(None, schema[name]).alias(name) for name in wanted if name not in there)


def scanned(
    paths: list[Path], wanted: tuple[str, ...], schema: pl.Schema, *, among: pl.Expr | None = None
) -> Iterator[tuple[Path, pl.DataFrame]]:
    """These columns of each file that has rows; with `among`, of those rows alone for which it holds."""
    telling = tuple(dict.fromkeys(among.meta.root_names())) if among is not None else ()
    for path in paths:
        # Most files have none of them, which a column or two tell.
        if among is not None and not columns(path, telling, schema).select(among.any()).item():
            continue
        frame = columns(path, tuple(dict.fromkeys((*wanted, *telling))), schema)
        if among is not None:
            frame = frame.filter(among)
        if frame.height:
            yield path, frame


def metadata(file: Path) -> dict[str, str]:
    """What the file says of itself in our name: position, log and layout stay what they are."""
    return {name: said for name, said in pl.read_parquet_metadata(file).items() if name.startswith("flywheel.")}


def content(frame: pl.DataFrame, said: dict[str, str]) -> bytes:
    """The bytes of a file with these rows that says this of itself."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", metadata={**said})
    return file.getvalue()


def sha256(file: Path) -> str:
    """Of the file's bytes, in hex."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
