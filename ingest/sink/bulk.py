"""Many records at once to columns: what `land.rows` does to one event, for those that a twin takes.

A record that is no event, or an odd one, is left for the caller to look at by itself: `Bulk.odd`. For all others the
columns are what the event's model would have given, value by value; a property test compares them.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import UNSET, MsgspecError

from ingest.log.base import Headers
from ingest.sink.twins import Field, Model, Twin, encode, twins

SMALLEST, LARGEST = 1e-4, 1e16
"""`json` writes numbers between them without an exponent."""


class Piece(NamedTuple):
    """Events of one type, as columns."""

    rows: list[int]
    """Which of the records they are."""
    columns: dict[str, list[Any]]
    """Column of the lake -> values; what is not here is null."""


class Bulk(NamedTuple):
    """Records as columns. Each is in one piece, or odd."""

    pieces: list[Piece]
    odd: list[int]


def bulk(values: Sequence[bytes], headers: Sequence[Headers], topic: str) -> Bulk:
    """The columns that come from the content of records, for all that can be read in bulk."""
    known = twins(topic)
    taken: dict[bytes, tuple[list[int], list[Any]]] = {name: ([], []) for name in known}
    odd: list[int] = []
    structured: Headers = ()
    for row, value in enumerate(values):
        if headers[row] != structured:
            if any(name.lower() == "ce_specversion" for name, _ in headers[row]):
                odd.append(row)
                continue
            structured = headers[row]
        # Where the type stands is a guess; the twin's decoder checks it.
        start = value.rfind(b'"type":') + 7
        start = value.find(b'"', start) + 1
        name = value[start : value.find(b'"', start)]
        twin = known.get(name)
        if twin is None or (b"\\u" in value and _may_need_repair(value)):
            odd.append(row)
            continue
        try:
            event = twin.decode(value)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            odd.append(row)
            continue
        rows, events = taken[name]
        rows.append(row)
        events.append(event)
    pieces: list[Piece] = []
    for name, (rows, events) in taken.items():
        if rows:
            piece, left_out = _piece(known[name], name.decode(), rows, events, values)
            pieces.append(piece)
            odd += left_out
    return Bulk(pieces, sorted(odd))


def _may_need_repair(value: bytes) -> bool:
    """Whether a NUL or half a surrogate may be written in it: see `cloudevents`."""
    return b"\\u0000" in value or b"\\ud" in value or b"\\uD" in value


def _piece(
    twin: Twin, type_: str, rows: list[int], events: list[Any], values: Sequence[bytes]
) -> tuple[Piece, list[int]]:
    """The columns of events of one type, and the rows that were left out of them."""
    moments, texts = _moments([event.time for event in events])
    columns: dict[str, list[Any]] = {}
    strange: set[int] = set()
    said = _spread(twin.payload, [event.data for event in events], "", columns, strange)
    ids = [event.id for event in events]
    field = twin.event.key_field
    keys = columns[field if field in columns else f"{field}_id"]
    schema = f"urn:flywheel:schema:{type_}"
    hashes: list[str] = []
    canonical: list[str | None] = []
    for at, event in enumerate(events):
        text = texts[at]
        hashes.append(hashlib.sha256(encode((type_, text, said[at]))).hexdigest())
        event.subject = keys[at] or ids[at]
        event.dataschema = schema
        event.datacontenttype = "application/json"
        event.time = None if moments[at] is ... else moments[at]
        form = encode(event)  # the moment as RFC 3339 with Z, as `at` has it
        canonical.append(None if form == values[rows[at]] else form.decode())
    columns |= {
        "event_id": ids,
        "source": [event.source for event in events],
        "type": [type_] * len(rows),
        "occurred_at": moments,
        "import_id": [event.importid for event in events],
        "import_row": [event.importrow for event in events],
        "repaired": [event.repaired for event in events],
        "content_hash": hashes,
        "canonical": canonical,
    }
    strange.update(at for at, moment in enumerate(moments) if moment is ...)
    if not strange:
        return Piece(rows, columns), []
    kept = [at for at in range(len(rows)) if at not in strange]
    columns = {name: [column[at] for at in kept] for name, column in columns.items()}
    return Piece([rows[at] for at in kept], columns), [rows[at] for at in strange]


def _moments(times: list[str | None]) -> tuple[list[Any], list[str | None]]:
    """Times in UTC, and as they are hashed. `...` where one is written in a way that only the door may judge."""
    moments: list[Any] = []
    texts: list[str | None] = []
    for time in times:
        moment: Any = None
        if time is not None:
            try:
                moment = datetime.fromisoformat(time)
                if moment.tzinfo is not UTC:
                    moment = moment.astimezone(UTC) if time[-6:-5] in ("+", "-") else ...
            except (ValueError, OverflowError):
                moment = ...
        moments.append(moment)
        # A tenth of what `isoformat` takes: with quotes around it, and Z for the zone.
        texts.append(None if moment is None or moment is ... else f"{encode(moment)[1:-2].decode()}+00:00")
    return moments, texts


def _spread(
    model: Model, objects: list[Any], prefix: str, columns: dict[str, list[Any]], strange: set[int]
) -> list[Any]:
    """Write the fields of `objects` into `columns`; return what each of them says, without what it leaves out.

    Adds to `strange` which of them have a number that msgspec may write otherwise than `json` does.
    """
    said: list[Iterable[Any]] = []
    for field in model.fields:
        values: list[Any] = list(map(field.get, objects))
        name = f"{prefix}{field.name}"
        if field.is_tuple:
            columns[name] = [None if value is None else encode(value).decode() for value in values]
            if field.model is not None:
                values = [_members(field.model, value, at, strange) for at, value in enumerate(values)]
            elif field.is_float:
                strange.update(at for at, value in enumerate(values) if value and not all(map(_is_plain, value)))
        elif field.model is None:
            columns[name] = values
            if field.is_float:
                strange.update(at for at, value in enumerate(values) if value is not None and not _is_plain(value))
        elif any(value is None for value in values):
            there = [at for at, value in enumerate(values) if value is not None]
            few: dict[str, list[Any]] = {}
            odd: set[int] = set()
            parts = _spread(field.model, [values[at] for at in there], f"{name}_", few, odd)
            for inner_name, column in few.items():
                columns[inner_name] = _scattered(column, there, len(objects))
            strange.update(there[at] for at in odd)
            values = _scattered(parts, there, len(objects))
        else:
            values = _spread(field.model, values, f"{name}_", columns, strange)
        said.append(_unless_default(values, field))
    return list(map(model.said, *said))


def _members(model: Model, members: tuple[Any, ...] | None, at: int, strange: set[int]) -> tuple[Any, ...] | None:
    """What the members of a tuple of models say."""
    if members is None:
        return None
    odd: set[int] = set()
    said = tuple(_spread(model, list(members), "", {}, odd))
    if odd:
        strange.add(at)
    return said


def _is_plain(number: float) -> bool:
    """Whether every encoder writes it alike: without an exponent, and not as minus zero."""
    return SMALLEST <= abs(number) < LARGEST or (number == 0 and math.copysign(1, number) > 0)


def _unless_default(values: list[Any], field: Field) -> list[Any]:
    if field.default is UNSET or field.default is None:
        return values  # the default None is left out by the struct itself
    default = field.default
    return [UNSET if value == default else value for value in values]


def _scattered(column: list[Any], rows: list[int], size: int) -> list[Any]:
    wide: list[Any] = [None] * size
    for row, value in zip(rows, column, strict=True):
        wide[row] = value
    return wide
