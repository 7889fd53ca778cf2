"""Reading what somebody wants to train on: every text in every row, wherever in the row it stands."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from models.errors import TerminalError

Row = tuple[str, list[str]]


def rows(file: Path) -> Iterator[Row]:
    """(file:row, its texts), rows from 1. Raises TerminalError for a file that can't be read, naming row and fault."""
    suffix = file.suffix.lower()
    try:
        if suffix == ".parquet":
            yield from _named(file, pl.read_parquet(file, glob=False).iter_rows(named=True))
        elif suffix in (".csv", ".tsv"):
            separator = "\t" if suffix == ".tsv" else ","
            table = pl.read_csv(file, separator=separator, infer_schema=False, glob=False)
            yield from _named(file, table.iter_rows(named=True))
        elif suffix == ".json":
            whole: object = json.loads(file.read_text())
            yield from _named(file, cast("list[Any]", whole) if isinstance(whole, list) else [whole])
        else:
            yield from _lines(file, as_json=suffix in (".jsonl", ".ndjson"))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise TerminalError(f"{file} can't be read, so nothing is known of it: {error}") from error


def texts(value: object) -> Iterator[str]:
    """Every text in `value`, however deep, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from texts(each)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for each in cast("Sequence[object]", value):
            yield from texts(each)


def _named(file: Path, found: Any) -> Iterator[Row]:
    for number, row in enumerate(found, start=1):
        yield f"{file.name}:{number}", list(texts(row))


def _lines(file: Path, *, as_json: bool) -> Iterator[Row]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row: object = json.loads(line) if as_json else line
            except ValueError as error:
                raise TerminalError(f"{file}, line {number}: no JSON: {error}") from error
            yield f"{file.name}:{number}", list(texts(row))
