"""Rows out of JSON: one object a line, an array, or a document with the rows under one name."""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

from ingest.importers.base import Options, Row
from ingest.importers.source_file import decoded, lines, opened
from models.errors import TerminalError
from models.events.base import Json

MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
"""A document is parsed as a whole; a larger one has to come as JSON lines."""


def read_lines(path: Path, options: Options) -> Iterator[Row]:
    """The rows of JSON lines or an array. Raises TerminalError for a document of another shape."""
    return _read(path, None)


def read_lines_or_data(path: Path, options: Options) -> Iterator[Row]:
    """As `read_lines`, and of an API's document, whose rows are a list under `data`."""
    return _read(path, "data")


Read = Callable[[Path, Options], Iterator[Row]]


def read_objects(path: Path, options: Options) -> Iterator[Row]:
    """As `read_lines`, and a document that is one object is one row."""
    return _read(path, None, whole=True)


def reading(inner: Callable[[Json], list[Any]]) -> Read:
    """A reader of files whose rows lie inside their objects, be these lines, members of an array or one document."""

    def read(path: Path, options: Options) -> Iterator[Row]:
        number = 0
        for outer in read_objects(path, options):
            for row in [outer] if outer.content is None else _inside(outer, inner(outer.content)):
                number += 1
                yield row._replace(number=number)

    return read


def under(*names: str) -> Callable[[Json], list[Any]]:
    """The rows that an object holds under the first of `names` it has; the object itself where it has none."""

    def inner(content: Json) -> list[Any]:
        found = next((content[name] for name in names if isinstance(content.get(name), list)), None)
        return [content] if found is None else cast(list[Any], found)

    return inner


def _inside(outer: Row, rows: list[Any]) -> Iterator[Row]:
    for content in rows:
        text = outer.text if content is outer.content else json.dumps(content, ensure_ascii=True)
        yield _object(outer.number, text, content, outer.position)


def _read(path: Path, rows_field: str | None, *, whole: bool = False) -> Iterator[Row]:
    head = list(islice((line for line in lines(path) if line.content.strip()), 2))
    heads = [None if line.too_long else _parsed(decoded(line)[0]) for line in head]
    first = head[0].content.strip() if head else b""
    if first == b"[" or not any(isinstance(row, dict) and not _has_rows(row, rows_field) for row in heads):
        if first[:1] in (b"[", b"{"):
            yield from _document(path, rows_field, only_lines=len(heads) == 1 and heads[0] is None, whole=whole)
            return
        raise TerminalError(
            f"{path} is not JSON: line {head[0].number if head else 1} begins with {first[:30]!r}: give it another "
            "--format (csv reads tables)"
        )
    number = 0
    for line in lines(path):
        if not line.content.strip():
            continue
        number += 1
        text, reason = decoded(line)
        yield Row(number, text, None, reason, line.position) if reason else _row(number, text, line.position)


def parse_json(text: str) -> Any:
    """What `text` says. Raises ValueError with a short reason; NaN and Infinity are no JSON."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except ValueError as error:
        raise ValueError(
            str(error) if str(error).startswith("not JSON") else "not JSON: a number is too long"
        ) from error
    except RecursionError as error:
        raise ValueError("not JSON that can be read: nested too deeply") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"not JSON: {name} is no number")


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _row(number: int, text: str, position: int) -> Row:
    try:
        content = parse_json(text)
    except ValueError as error:
        return Row(number, text, None, str(error), position)
    return _object(number, text, content, position)


def _object(number: int, text: str, content: Any, position: int) -> Row:
    if isinstance(content, dict):
        return Row(number, text, cast(Json, content), None, position)
    return Row(number, text, None, f"not a JSON object but {type(content).__name__}", position)


def _has_rows(content: Any, rows_field: str | None) -> bool:
    return rows_field is not None and isinstance(cast(Json, content).get(rows_field), list)


def _document(path: Path, rows_field: str | None, *, only_lines: bool, whole: bool) -> Iterator[Row]:
    with opened(path) as (file, raw):
        content_bytes = file.read(MAX_DOCUMENT_BYTES + 1)
        position = raw.tell()
    if len(content_bytes) > MAX_DOCUMENT_BYTES:
        raise TerminalError(
            f"{path} is one JSON document of over {MAX_DOCUMENT_BYTES >> 20} MiB: export it as JSON lines"
        )
    try:
        content = parse_json(content_bytes.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise TerminalError(
            f"{path} is not UTF-8 (byte 0x{content_bytes[error.start]:02x} at {error.start}): save it as UTF-8"
        ) from error
    except ValueError as error:
        cut = "line 1 is no whole JSON object" if only_lines else "it may have been cut off"
        raise TerminalError(f"{path} can't be read: {error}: {cut}; export it again") from error
    rows: Any = cast(Json, content).get(rows_field or "") if isinstance(content, dict) else content
    if whole and isinstance(content, dict):
        rows = [content]
    if not isinstance(rows, list):
        asked = f"with a list under {rows_field!r}, " if rows_field else ""
        raise TerminalError(f"{path} is a JSON document, but none {asked}a list, or JSON lines: is it another format?")
    for number, row in enumerate(cast(list[Any], rows), 1):
        yield _object(number, json.dumps(row, ensure_ascii=True), row, position)
