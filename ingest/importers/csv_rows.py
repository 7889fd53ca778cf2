"""Rows out of a CSV file: its delimiter, its header and its cells, multi-line ones too. Nothing is evaluated."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ingest.importers.base import Row
from ingest.importers.source_file import MAX_ROW_BYTES, Line, lines, not_utf8
from models.errors import TerminalError

DELIMITERS = ",;\t|"
SNIFFED_LINES = 20


class Table(NamedTuple):
    """The header of a table, and its rows: `content` maps column to cell."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


def read_table(path: Path, delimiter: str | None = None) -> Table:
    """The table in `path`. Raises TerminalError where there is no header to tell columns by."""
    feed = _Feed(path)
    reader = csv.reader(feed, delimiter=delimiter or _sniff(path), strict=True)
    try:
        header: list[str] | None = next((cells for cells in reader if any(cell.strip() for cell in cells)), None)
    except csv.Error as error:
        raise TerminalError(f"{path} is no CSV file: its header can't be read ({error})") from error
    columns = tuple(name.strip() for name in header or ())
    if fault := _fault(feed.taken):
        raise TerminalError(f"{path} can't be read: {fault}")
    if len(set(columns)) < len(columns):
        twice = sorted({name for name in columns if columns.count(name) > 1})
        raise TerminalError(f"{path} has several columns named {', '.join(map(repr, twice))}: rename all but one")
    return Table(columns, _rows(feed, reader, columns))


class _Feed:
    """The lines of the file as text for the csv module, with the lines that the present row has taken.

    Bytes that are not UTF-8 pass as lone surrogates, so that only their row is lost.
    """

    def __init__(self, path: Path) -> None:
        self._lines = lines(path)
        self.taken: list[Line] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.taken.append(line)
        return line.content.decode(errors="surrogateescape").replace("\x00", "\u2400") + "\n"


def _rows(feed: _Feed, reader: "Iterator[list[str]]", columns: tuple[str, ...]) -> Iterator[Row]:
    csv.field_size_limit(MAX_ROW_BYTES)  # the module's own limit would refuse texts that are long but fine
    number = 0
    while True:
        feed.taken.clear()
        reason: str | None = None
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            first = feed.taken[0].number if feed.taken else 0
            reason = f"not CSV: {error} (the row begins on line {first}; is a quote left open?)"
        if not cells and reason is None:
            continue
        number += 1
        text = "\n".join(line.content.decode(errors="backslashreplace") for line in feed.taken)
        position = feed.taken[-1].position if feed.taken else 0
        reason = reason or _fault(feed.taken)
        if reason is None and len(cells) > len(columns):
            reason = f"{len(cells)} cells, but the header names {len(columns)} columns"
        content = None if reason else dict(zip(columns, cells, strict=False))
        yield Row(number, text, content, reason, position)


def _fault(taken: list[Line]) -> str | None:
    """Why a row of these lines is refused, if it is."""
    for line in taken:
        if line.too_long:
            return f"line {line.number} is longer than {MAX_ROW_BYTES // 1024 // 1024} MiB"
        if b"\x00" in line.content:
            return f"line {line.number} holds a NUL character"
        try:
            line.content.decode()
        except UnicodeDecodeError as error:
            return not_utf8(line.content[error.start], line.number)
    return None


def _sniff(path: Path) -> str:
    """The delimiter that splits the header and the rows below it most alike; a comma where nothing splits."""
    sample = [line.content.decode(errors="surrogateescape") for line in islice(lines(path), SNIFFED_LINES)]
    sample = [line.replace("\x00", "") for line in sample if line.strip()]
    return max(DELIMITERS, key=lambda delimiter: _split(sample, delimiter))


def _split(sample: list[str], delimiter: str) -> tuple[int, int]:
    """(cells of the header if there are several, rows of that width)."""
    widths: list[int] = []
    reader = csv.reader(sample, delimiter=delimiter)
    with suppress(csv.Error):  # what was read until then is sample enough
        widths.extend(len(cells) for cells in reader)
    width = widths[0] if widths else 0
    return (width if width > 1 else 0, widths.count(width))
