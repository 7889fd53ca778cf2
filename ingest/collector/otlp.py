"""OTLP/HTTP logs in JSON: what the importer of OTLP log files reads, as a service sends it.

Left out: protobuf, and records that are no `gen_ai.evaluation.result`, which are counted as rejected and said to be.
"""

import json
from typing import Any, cast
from uuid import uuid4

from pydantic import ValidationError

from ingest.collector.answers import Refusal, Turned
from ingest.collector.offered import Offered, Sender, from_event, line
from ingest.importers.base import Context, Refused
from ingest.importers.otlp import attributes
from ingest.importers.otlp_logs import RESULT, events
from models.errors import BadEvent
from models.events import AnyEvent
from models.events.base import Json
from models.ids import digest, event_id
from models.unicode import Unclean, repair_json


def read(body: bytes, sender: Sender, most: int) -> list[Offered]:
    """What the records offer, `place` by place over the whole request. Raises Turned: 400, 413."""
    offered: list[Offered] = []
    copies: dict[str, int] = {}
    context = Context({})
    for place, found in enumerate(_records(body, most)):
        try:
            record, repaired = repair_json(found)
            # Equal records of one request are two; a record that is sent again is one.
            said = digest(record)
            copy = copies[said] = copies.get(said, -1) + 1
            for event in _events(record, context):
                ours = event.model_copy(update={"source": _source(record, sender), "repaired": repaired})
                id_ = _id(ours, said, copy, place, sender)
                offered.append(from_event(place, ours.model_copy(update={"id": id_}), sender))
        except (Unclean, Refused, BadEvent, ValueError, OverflowError, RecursionError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            offered.append(Refusal(place, None, None, "unknown", line(reason)))
    return offered


def _events(record: Json, context: Context) -> list[AnyEvent]:
    try:
        found = events(record, context)
    except (AttributeError, KeyError, TypeError) as error:  # JSON of a shape that no exporter writes
        raise BadEvent(f"no OTLP log record: {error}") from error
    if not found:
        raise BadEvent(f"the log record {str(record.get('eventName'))[:80]!r} is no {RESULT}")
    return found


def _id(event: AnyEvent, said: str, copy: int, place: int, sender: Sender) -> str:
    """All records about a response say the same of it; what they say else has an id of the record or the request."""
    if event.topic == "responses":
        return event_id("otlp", event.source, event.content_hash())
    if sender.idempotency_key is not None:
        return event_id("otlp", event.source, sender.idempotency_key, place, event.type)
    if event.occurred_at is None:
        return str(uuid4())  # two that say the same without a time may be two
    return event_id("otlp", event.source, said, copy, event.type)


def _source(record: Json, sender: Sender) -> str:
    """The service, where the key may write as it; else the key's own source."""
    named = attributes(record.get("resource")).get("service.name")
    return named if isinstance(named, str) and named and sender.key.may_write_as(named) else sender.key.default_source


def _records(body: bytes, most: int) -> list[Json]:
    """The log records as the importer has them: with their resource's attributes and their scope's name."""
    try:
        content: object = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise Turned(400, f"not UTF-8: byte 0x{body[error.start]:02x} at {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise Turned(400, line(f"not JSON: {error}")) from error
    found: list[Json] = []
    for by_resource in _objects(content, "resourceLogs"):
        resource = _inner(by_resource, "resource").get("attributes")
        for by_scope in _objects(by_resource, "scopeLogs"):
            scope = _inner(by_scope, "scope").get("name")
            found += [{**record, "resource": resource, "scope": scope} for record in _objects(by_scope, "logRecords")]
            if len(found) > most:
                raise Turned(413, f"the request has more than {most:,} log records, the limit: send it in parts")
    return found


def _objects(holder: object, name: str) -> list[Json]:
    """The list of objects under `name`. Raises Turned where it is none: what isn't read would not be counted."""
    if not isinstance(holder, dict):
        raise Turned(400, f"not OTLP: {type(holder).__name__} where an object with {name} is expected")
    listed: object = cast(Json, holder).get(name) or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in cast(list[Any], listed)):
        raise Turned(400, f"not OTLP: {name} is no list of objects")
    return cast(list[Json], listed)


def _inner(holder: Json, name: str) -> Json:
    found: object = holder.get(name)
    return cast(Json, found) if isinstance(found, dict) else {}
