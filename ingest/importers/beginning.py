"""Reads the beginning of a file, for `detect.py`. Left out: rows that can't be read, which tell nothing."""

import json
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, cast

from ingest.importers.csv_rows import read_table
from ingest.importers.sample import Sample
from ingest.importers.source_file import decoded, lines, opened
from models.errors import TerminalError
from models.events.base import Json

FIRST = 20
"""Rows that are looked at."""

LONGEST = 1 << 26
"""Bytes of a document that are read to find out what it is."""


def take(path: Path) -> Sample:
    """The beginning of the file. Raises TerminalError for what can't be read at all; rows that can't are left out."""
    first = next((line.content.lstrip() for line in lines(path) if line.content.strip()), b"")
    if first[:1] in (b"{", b"["):
        return Sample(path, tuple(_objects(path)))
    if first.startswith((b"- ", b"---")) and path.name.removesuffix(".gz").endswith((".yml", ".yaml")):
        return Sample(path, (_yaml_keys(path),), yaml=True)
    with suppress(TerminalError):
        table = read_table(path)
        rows = tuple(row.content for row in islice(table.rows, FIRST) if row.content is not None)
        return Sample(path, rows, table.columns)
    return Sample(path)


def _objects(path: Path) -> list[Json]:
    """The first objects: of JSON lines, of an array, or the document as the only one."""
    found = [_parsed(decoded(line)[0]) for line in islice((ln for ln in lines(path) if ln.content.strip()), FIRST)]
    rows = [cast(Json, row) for row in found if isinstance(row, dict)]
    if rows:
        return rows
    with opened(path) as (content, _):
        text = content.read(LONGEST).decode("utf-8-sig", errors="replace").strip()
    return _members(text) if text.startswith("[") else [row for row in [_parsed(text)] if isinstance(row, dict)]


def _members(text: str) -> list[Json]:
    """The first objects of an array, of which the end need not be there."""
    decoder, place, found = json.JSONDecoder(), 1, list[Json]()
    with suppress(ValueError, RecursionError):
        while len(found) < FIRST:
            while text[place : place + 1] in (" ", "\n", "\r", "\t", ","):
                place += 1
            row, place = decoder.raw_decode(text, place)
            if isinstance(row, dict):
                found.append(cast(Json, row))
    return found


def _parsed(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _yaml_keys(path: Path) -> Json:
    """The keys of the list's first mapping, by its lines: what comes before the second `- ` at the margin."""
    keys: Json = {}
    for line in lines(path):
        text = line.content.decode(errors="replace")
        if text.startswith("- ") and keys:
            break
        key, separator, value = text.removeprefix("- ").strip().partition(":")
        if separator:
            keys[key] = value.strip()
    return keys
