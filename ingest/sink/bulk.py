"""Many records at once to columns: what `land.rows` does to one event, for those that a twin takes.

A record that is no event, or an odd one, is left for the caller to look at by itself: `Bulk.odd`. For all others the
columns are what the event's model would have given, value by value; a property test compares them.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET, MsgspecError, convert
from msgspec.structs import astuple

from ingest.log.base import EPOCH, Headers
from ingest.sink.twins import Model, Twin, encode, encode_lines, twins

SMALLEST, LARGEST = 1e-4, 1e16
"""`json` writes numbers between them without an exponent."""

FAULTS = (MsgspecError, UnicodeDecodeError, RecursionError)
"""What a decoder may raise."""


class Group(NamedTuple):
    """Records of one type that its twin has taken."""

    type: str
    rows: list[int]
    """Which of the records."""
    columns: dict[str, list[Any]]
    """Column of the lake -> a value for each of `rows`. What is not here is null for all."""


class Bulk(NamedTuple):
    """What could be read in bulk, and the rest. Groups stay apart, since columns are null for whole types."""

    groups: list[Group]
    odd: list[int]
    """The records to be looked at one by one."""


def bulk(values: Sequence[bytes], headers: Sequence[Headers], topic: str) -> Bulk:
    """The columns that come from the content of records, for all that can be read in bulk.

    `canonical` is not among them: what a twin takes stands in its newest form already.
    """
    known = twins(topic)
    groups: list[Group] = []
    for name, mine in _by_type(values, headers, known).items():
        rows, decoded = _decoded(known[name], mine, values)
        odd: set[int] = set()
        columns: dict[str, list[Any]] = {}
        _spread(known[name].payload, [event.data for event in decoded], "", columns, odd)
        envelopes, late = _envelopes(decoded, name.decode())
        columns |= envelopes
        odd.update(late)
        if odd:
            plain = [at for at in range(len(rows)) if at not in odd]
            rows = [rows[at] for at in plain]
            columns = {column: [content[at] for at in plain] for column, content in columns.items()}
        groups.append(Group(name.decode(), rows, columns))
    taken = [row for group in groups for row in group.rows]
    left = sorted(set(range(len(values))).difference(taken)) if len(taken) < len(values) else []
    return Bulk(groups, left)


def _by_type(values: Sequence[bytes], headers: Sequence[Headers], known: dict[bytes, Twin]) -> dict[bytes, list[int]]:
    """Type name -> rows that may be events of it, in structured mode. It is a guess, which the decoder checks."""
    rows: defaultdict[bytes, list[int]] = defaultdict(list)
    structured: Headers = ()
    for row, (value, mode) in enumerate(zip(values, headers, strict=True)):
        if mode is not structured:
            if any(name.lower() == "ce_specversion" for name, _ in mode):
                continue
            structured = mode
        name = value[value.rfind(b'"', 0, -2) + 1 : -2]  # the canonical form ends with it
        if name not in known:
            start = value.find(b'"', value.rfind(b'"type":') + 7) + 1
            name = value[start : value.find(b'"', start)]
            if name not in known:
                continue
        rows[name].append(row)
    return rows


def _decoded(twin: Twin, rows: list[int], values: Sequence[bytes]) -> tuple[list[int], list[Any]]:
    """Those of `rows` that the twin takes, and their envelopes."""
    # A NUL is for the door to refuse. Half a surrogate is no text for msgspec either.
    mine = [values[row] for row in rows]
    if b"\\u0000" in b"\n".join(mine):  # looked for in all at once
        rows = [row for row, value in zip(rows, mine, strict=True) if b"\\u0000" not in value]
        mine = [values[row] for row in rows]
    try:
        return rows, list(map(twin.decode, mine))
    except FAULTS:
        taken = [(row, event) for row in rows if (event := _decoded_or_none(twin, values[row])) is not None]
        return [row for row, _ in taken], [event for _, event in taken]


def _decoded_or_none(twin: Twin, value: bytes) -> Any:
    try:
        return twin.decode(value)
    except FAULTS:
        return None


def _envelopes(events: list[Any], type_: str) -> tuple[dict[str, list[Any]], list[int]]:
    """The columns that all events have, and which of them have a time that only the door may judge."""
    times: list[str | None] = [event.time for event in events]
    there = [at for at, time in enumerate(times) if time is not None]
    moments = [_moment(time) for time in times if time is not None]
    late = [at for at, moment in zip(there, moments, strict=True) if moment is None]
    texts: list[str | None] = [None] * len(events)
    micros: list[int | None] = [None] * len(events)
    if there:
        # As RFC 3339 with Z, all in one go: a fortieth of what `isoformat` takes.
        naive = encode([moment or EPOCH for moment in moments]).decode()[2:-3].split('Z","')
        _scatter(texts, [f"{text}+00:00" for text in naive], there)
        _scatter(micros, np.array(naive, dtype="datetime64[us]").view(np.int64).tolist(), there)
    said = encode_lines([(type_, text, event.data) for text, event in zip(texts, events, strict=True)]).split(b"\n")
    return {
        "event_id": [event.id for event in events],
        "source": [event.source for event in events],
        "occurred_at": micros,
        "import_id": [event.importid for event in events],
        "import_row": [event.importrow for event in events],
        "repaired": [event.repaired for event in events],
        "content_hash": [sha256(line).hexdigest() for line in said[: len(events)]],
    }, late


def _moment(time: str) -> datetime | None:
    """The moment in UTC; None where only the door may judge how it is written."""
    try:
        moment = datetime.fromisoformat(time)
        if moment.tzinfo is UTC:
            return moment
        return moment.astimezone(UTC) if time[-6:-5] in ("+", "-") else None
    except (ValueError, OverflowError):
        return None


def _spread(model: Model, objects: list[Any], prefix: str, columns: dict[str, list[Any]], strange: set[int]) -> None:
    """Write the fields of `objects` into `columns`, and give back to each the very objects that are its defaults.

    Adds to `strange` which of them have a number that msgspec may write otherwise than `json` does.
    """
    by_field: list[list[Any]] = list(map(list, zip(*map(astuple, objects), strict=True)))
    for field, values in zip(model.fields, by_field or [[] for _ in model.fields], strict=True):
        name = f"{prefix}{field.name}"
        if field.is_tuple:
            columns[name] = [None if value is None else _json(value, field.model) for value in values]
            if field.model is not None:
                strange.update(at for at, value in enumerate(values) if value and _is_strange(field.model, value))
            elif field.is_float:
                strange.update(at for at, value in enumerate(values) if value and not all(map(_is_plain, value)))
        elif field.model is None:
            columns[name] = values
            if field.is_float:
                strange.update(at for at, value in enumerate(values) if value is not None and not _is_plain(value))
            if field.default is not UNSET:
                for at, value in enumerate(values):
                    if value == field.default:
                        setattr(objects[at], field.name, field.default)
        elif any(value is None for value in values):
            there = [at for at, value in enumerate(values) if value is not None]
            few: dict[str, list[Any]] = {}
            odd: set[int] = set()
            _spread(field.model, [values[at] for at in there], f"{name}_", few, odd)
            for inner_name, column in few.items():
                _scatter(columns.setdefault(inner_name, [None] * len(objects)), column, there)
            strange.update(there[at] for at in odd)
        else:
            _spread(field.model, values, f"{name}_", columns, strange)


def _json(values: tuple[Any, ...], model: Model | None) -> str:
    """A tuple as the lake has it: JSON text in which every field of every member stands."""
    if model is not None:
        return encode(convert(values, list[model.full], from_attributes=True)).decode()
    return encode(values).decode()


def _is_strange(model: Model, members: tuple[Any, ...]) -> bool:
    strange: set[int] = set()
    _spread(model, list(members), "", {}, strange)
    return bool(strange)


def _is_plain(number: float) -> bool:
    """Whether every encoder writes it alike: without an exponent, and not as minus zero."""
    return SMALLEST <= abs(number) < LARGEST or (number == 0 and math.copysign(1, number) > 0)


def _scatter(wide: list[Any], values: list[Any], rows: list[int]) -> None:
    """Put `values` at `rows` of `wide`."""
    if len(rows) == len(wide):
        wide[:] = values
        return
    for row, value in zip(rows, values, strict=True):
        wide[row] = value
