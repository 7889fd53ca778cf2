"""Many records at once to columns: what `land.rows` does to one event, for those that a twin takes.

A record that is no event, or an odd one, is left for the caller to look at by itself: `Bulk.odd`. For all others the
columns are what the event's model would have given, value by value; a property test compares them.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import UNSET, MsgspecError

from ingest.log.base import EPOCH, MICROSECOND, Headers
from ingest.sink.twins import Field, Model, Twin, encode, twins

SCHEMA = "urn:flywheel:schema:"
SMALLEST, LARGEST = 1e-4, 1e16
"""`json` writes numbers between them without an exponent."""


class Bulk(NamedTuple):
    """What the columns hold that come from the content of records."""

    columns: dict[str, list[Any]]
    """Column of the lake -> a value for each record, None for the odd ones. What is not here is null for all."""
    odd: list[int]
    """The records to be looked at one by one."""


def bulk(values: Sequence[bytes], headers: Sequence[Headers], topic: str) -> Bulk:
    """The columns that come from the content of records, for all that can be read in bulk."""
    known = twins(topic)
    events, rows = _decoded(values, headers, known)
    columns: dict[str, list[Any]] = {}
    said: list[Any] = [None] * len(values)
    keys: list[str | None] = [None] * len(values)
    for name, mine in rows.items():
        if mine:
            twin, strange = known[name], set[int]()
            found: dict[str, list[Any]] = {}
            words = _spread(twin.payload, [events[row].data for row in mine], "", found, strange)
            _scatter(said, words, mine)
            _scatter(keys, found[twin.key], mine)
            for column, content in found.items():
                _scatter(columns.setdefault(column, [None] * len(values)), content, mine)
            for at in strange:
                events[mine[at]] = None
    columns |= _envelopes(events, said, keys, values)
    odd = [row for row, event in enumerate(events) if event is None]
    for column in columns.values():
        for row in odd:
            column[row] = None
    return Bulk(columns, odd)


def _decoded(
    values: Sequence[bytes], headers: Sequence[Headers], known: dict[bytes, Twin]
) -> tuple[list[Any], dict[bytes, list[int]]]:
    """An envelope for each record, None for an odd one; and the rows of each type."""
    events: list[Any] = []
    rows: dict[bytes, list[int]] = {name: [] for name in known}
    structured: Headers = ()
    for row, value in enumerate(values):
        event: Any = None
        if headers[row] != structured:
            if any(name.lower() == "ce_specversion" for name, _ in headers[row]):
                events.append(None)
                continue
            structured = headers[row]
        # Where the type stands is a guess, best at the end, as in the canonical form; the twin's decoder checks it.
        name = value[value.rfind(b'"', 0, -2) + 1 : -2]
        twin = known.get(name)
        if twin is None:
            start = value.find(b'"', value.rfind(b'"type":') + 7) + 1
            name = value[start : value.find(b'"', start)]
            twin = known.get(name)
        if twin is not None and b"\\u0000" not in value:  # a NUL is the door's to refuse; half a surrogate, twins do
            try:
                event = twin.decode(value)
            except (MsgspecError, UnicodeDecodeError, RecursionError):
                event = None
            else:
                rows[name].append(row)
        events.append(event)
    return events, rows


def _envelopes(
    events: list[Any], said: list[Any], keys: list[str | None], values: Sequence[bytes]
) -> dict[str, list[Any]]:
    """The columns that all events have. An event with an odd time is None in `events` afterwards."""
    moments: list[int | None] = [None] * len(events)
    hashes: list[str | None] = [None] * len(events)
    canonical: list[str | None] = [None] * len(events)
    for row, event in enumerate(events):
        if event is None:
            continue
        text = None
        if event.time is not None:
            event.time = moment = _moment(event.time)
            if moment is None:
                events[row] = None
                continue
            moments[row] = (moment - EPOCH) // MICROSECOND
            # A tenth of what `isoformat` takes: with quotes around it, and Z for the zone.
            text = f"{encode(moment)[1:-2].decode()}+00:00"
        hashes[row] = sha256(encode((event.type, text, said[row]))).hexdigest()
        event.subject = keys[row] or event.id
        event.dataschema = SCHEMA + event.type
        event.datacontenttype = "application/json"
        form = encode(event)
        if form != values[row]:
            canonical[row] = form.decode()
    return {
        "event_id": [event and event.id for event in events],
        "source": [event and event.source for event in events],
        "type": [event and event.type for event in events],
        "occurred_at": moments,
        "import_id": [event and event.importid for event in events],
        "import_row": [event and event.importrow for event in events],
        "repaired": [event and event.repaired for event in events],
        "content_hash": hashes,
        "canonical": canonical,
    }


def _moment(time: str) -> datetime | None:
    """The moment in UTC; None where only the door may judge how it is written."""
    try:
        moment = datetime.fromisoformat(time)
        if moment.tzinfo is UTC:
            return moment
        return moment.astimezone(UTC) if time[-6:-5] in ("+", "-") else None
    except (ValueError, OverflowError):
        return None


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
                _scatter(columns.setdefault(inner_name, [None] * len(objects)), column, there)
            strange.update(there[at] for at in odd)
            values = [None] * len(objects)
            _scatter(values, parts, there)
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


def _scatter(wide: list[Any], values: list[Any], rows: list[int]) -> None:
    """Put `values` at `rows` of `wide`."""
    if len(rows) == len(wide):
        wide[:] = values
        return
    for row, value in zip(rows, values, strict=True):
        wide[row] = value
