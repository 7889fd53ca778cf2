"""The one door: CloudEvents 1.0 bytes to events and back.

Written in structured mode (self-contained in an archive, no tombstone trap); structured and binary are read. No batched
mode: the Kafka binding has none.
"""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from models.errors import BadEvent
from models.events.base import Event, Json, at
from models.events.upcast import upcast
from models.ids import canonical_json
from models.unicode import Unclean, repair_json

CONTENT_TYPE = "application/cloudevents+json"
HEADERS: tuple[tuple[str, bytes], ...] = (("content-type", CONTENT_TYPE.encode()),)

Headers = Iterable[tuple[str, bytes]]

E = TypeVar("E")

_EXTENSIONS = {"importid": "import_id", "importrow": "import_row", "repaired": "repaired"}


def dump(event: Event) -> bytes:
    """The canonical form: structured mode, sorted keys, UTF-8. `parse(dump(event)) == event`."""
    envelope: Json = {
        "specversion": "1.0",
        "id": event.id,
        "source": event.source,
        "type": event.type,
        "subject": event.key,
        "dataschema": f"urn:flywheel:schema:{event.type}",
        "datacontenttype": "application/json",
        "data": event.payload(),
    }
    if event.occurred_at is not None:
        envelope["time"] = at(event.occurred_at)
    for attribute, field in _EXTENSIONS.items():
        value: object = getattr(event, field)
        if value is not None and value is not False:
            envelope[attribute] = value
    return canonical_json(envelope).encode()


def parse(value: bytes, headers: Headers, union: TypeAdapter[E]) -> E:
    """An event of `union` from a record's value and headers. Raises BadEvent with the reason that quarantine shows."""
    attributes = _attributes(value, headers)
    if attributes.get("specversion") != "1.0":
        raise BadEvent(f"not a CloudEvent 1.0: specversion is {attributes.get('specversion')!r}")
    type_, data = attributes.get("type"), attributes.get("data")
    if not isinstance(type_, str):
        raise BadEvent(f"the event has no type (it is {type_!r})")
    if not isinstance(data, dict):
        raise BadEvent(f"{type_}: data is {type(data).__name__}, not an object")
    try:
        type_, data = upcast(type_, cast(Json, data))
    except (KeyError, TypeError, ValueError) as error:
        raise BadEvent(f"{type_} can't be brought to its newest version: {error!r}") from error
    fields: Json = {**data, "type": type_, "id": attributes.get("id"), "source": attributes.get("source")}
    fields["occurred_at"] = _moment(attributes.get("time"))
    for attribute, field in _EXTENSIONS.items():
        fields.pop(field, None)
        if attribute in attributes:
            fields[field] = attributes[attribute]
    try:
        return union.validate_python(fields)
    except ValidationError as error:
        raise BadEvent(_reason(type_, error)) from error
    except OverflowError as error:
        raise BadEvent(f"{type_}: a time is beyond the years 1 to 9999 in UTC ({error})") from error


def _attributes(value: bytes, headers: Headers) -> Json:
    """The envelope with its data, whichever mode it came in."""
    named = {name.lower(): content for name, content in headers}
    content, repaired = _object(value)
    envelope: Json = content
    if "ce_specversion" in named:
        envelope = {name.removeprefix("ce_"): _header(name, named[name]) for name in named if name.startswith("ce_")}
        envelope["data"] = content
        if (row := envelope.get("importrow")) is not None:
            envelope["importrow"] = int(row) if re.fullmatch("[0-9]{1,18}", row) else None
    return {**envelope, "repaired": True} if repaired else envelope


def _header(name: str, content: bytes) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise BadEvent(f"header {name} is not UTF-8: byte 0x{content[error.start]:02x} at {error.start}") from error
    if "\x00" in text:
        raise BadEvent(f"header {name} holds a NUL character")
    return text


def _object(value: bytes) -> tuple[Json, bool]:
    """The JSON object in `value`, and whether it had to be repaired."""
    if not value:
        raise BadEvent("the record is empty")
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        raise BadEvent(f"not UTF-8: byte 0x{value[error.start]:02x} at {error.start}") from error
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of more than 4,300 digits
        raise BadEvent(f"not JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadEvent(f"not a JSON object but {type(content).__name__}")
    fields = cast(Json, content)
    if "\x00" not in text and "\\u0000" not in text and "\\ud" not in text.lower():
        return fields, False  # no way to write a NUL or a surrogate was used: most events are not looked through
    try:
        return repair_json(fields)
    except Unclean as error:
        raise BadEvent(str(error)) from error


def _moment(time: object) -> datetime | None:
    if time is None:
        return None
    try:
        moment = datetime.fromisoformat(str(time))
    except ValueError as error:
        raise BadEvent(f"time {time!r} is not RFC 3339") from error
    if moment.tzinfo is None:
        raise BadEvent(f"time {time!r} has no zone: add Z or an offset")
    return moment


def _reason(type_: str, error: ValidationError) -> str:
    """One line out of pydantic's report: the first fault, its place and its value."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "union_tag_invalid":
        return f"unknown event type {type_!r}"
    place = ".".join(str(part) for part in first["loc"] if part != type_)
    value = repr(first.get("input"))
    return f"{type_}: {place}: {first['msg']} (got {value if len(value) <= 80 else value[:77] + '...'})"
