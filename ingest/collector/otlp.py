"""OTLP/HTTP logs in JSON: `gen_ai.evaluation.result` records to thumbs, scores and comments.

Names and shapes: OpenTelemetry's semantic conventions for generative AI. Left out: protobuf, and every other record,
which is counted as rejected and said to be.
"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast
from uuid import uuid4

from ingest.collector.answers import Refusal, Turned
from ingest.collector.offered import Offered, Sender, from_event, line
from ingest.importers.feedback import known_response
from ingest.importers.votes import is_thumb_name, read_thumb
from models.errors import BadEvent
from models.events import HEADERS, AnyEvent, parse
from models.events.base import Json, at
from models.ids import event_id
from models.unicode import Unclean, repair, repair_json

EVENT = "gen_ai.evaluation.result"
EVALUATION = "gen_ai.evaluation."
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HEX = re.compile("[0-9a-fA-F]{16,32}")


class Log(NamedTuple):
    """One log record with what surrounds it."""

    fields: Json
    attributes: Json
    service: str | None
    """`service.name` of its resource."""
    repaired: bool


def read(body: bytes, sender: Sender, most: int) -> list[Offered]:
    """What the records offer; `index` counts records over the whole request. Raises Turned: 400, 413."""
    offered: list[Offered] = []
    copies: dict[str, int] = {}
    for index, found in enumerate(_logs(body, most)):
        try:
            log = _checked(found)
            # Equal records of one request are two; a record that is sent again is one.
            said = json.dumps([log.fields, log.service], sort_keys=True)
            copy = copies[said] = copies.get(said, -1) + 1
            name = _name(log, said, copy, index, sender)
            offered += [from_event(index, event, sender) for event in events(log, _source(log, sender), name)]
        except BadEvent as error:
            offered.append(Refusal(index, None, None, "unknown", line(str(error))))
    return offered


def events(log: Log, source: str, name: tuple[str | int, ...]) -> list[AnyEvent]:
    """What one evaluation says; `name` is what its events' ids are made of. Raises BadEvent."""
    attributes = log.attributes
    metric = attributes.get(f"{EVALUATION}name")
    value, label = attributes.get(f"{EVALUATION}score.value"), attributes.get(f"{EVALUATION}score.label")
    text = attributes.get(f"{EVALUATION}explanation")
    moment = _moment(log.fields)
    about: Json = {"target": _target(log), "author": {"kind": "code", "id": None}}
    thumb = None
    if isinstance(metric, str) and is_thumb_name(metric):
        about["author"] = {"kind": "human", "id": attributes.get("enduser.id")}
        thumb = read_thumb(value if label is None else label) if not (value is None and label is None) else None
    said: list[tuple[str, Json]] = []
    if thumb is not None:
        said.append(("feedback.thumb_given.v2", {"thumb": None if thumb == "cleared" else thumb, "metric": metric}))
    elif value is not None or label is not None or text is None or "error.type" in attributes:
        said.append(("feedback.score_given.v1", {"metric": metric, **_score(value, label, attributes)}))
    if text is not None:
        said.append(("feedback.comment_left.v1", {"text": text, "metric": metric}))
    found = [_event(type_, {**about, **data}, source, moment, name) for type_, data in said]
    found = [*_response(log, source), *found]
    return [event.model_copy(update={"repaired": True}) for event in found] if log.repaired else found


def _event(type_: str, data: Json, source: str, moment: str | None, name: tuple[str | int, ...]) -> AnyEvent:
    envelope = {
        "specversion": "1.0",
        "id": event_id("otlp", repair(source)[0], *name, type_),
        "source": source,
        "type": type_,
        "time": moment,
        "data": data,
    }
    return parse(json.dumps(envelope).encode(), HEADERS)


def _score(value: object, label: object, attributes: Json) -> Json:
    """An error is no zero, and a score that is not there was skipped."""
    if (error := attributes.get("error.type")) is not None:
        return {"data_type": "numeric", "status": "errored", "label": error if label is None else label}
    if value is not None:
        return {"data_type": "numeric", "value": value, "label": label}
    if label is not None:
        return {"data_type": "categorical", "label": label}
    return {"data_type": "numeric", "status": "skipped"}


def _name(log: Log, said: str, copy: int, index: int, sender: Sender) -> tuple[str | int, ...]:
    if sender.idempotency_key is not None:
        return ("key", sender.idempotency_key, index)
    if _moment(log.fields) is None:
        return ("new", str(uuid4()))  # two that say the same without a time may be two
    return (said, copy)


def _source(log: Log, sender: Sender) -> str:
    """The service, where the key may write as it; else the key's own source."""
    named = log.service
    return named if named and sender.key.may_write_as(named) else sender.key.default_source


def _response(log: Log, source: str) -> list[AnyEvent]:
    """That the response belongs to the span, so that feedback on either finds the other."""
    response, trace, span = (
        log.attributes.get("gen_ai.response.id"),
        log.fields.get("traceId"),
        log.fields.get("spanId"),
    )
    if not isinstance(response, str) or not (trace or span):
        return []
    try:
        return [known_response(source, response, trace_id=trace or None, span_id=span or None)]
    except ValueError as error:
        raise BadEvent(f"gen_ai.response.id, traceId or spanId: {error}") from error


def _target(log: Log) -> Json:
    """The response where it is named, else the span, else the trace."""
    for kind, id_ in (
        ("response", log.attributes.get("gen_ai.response.id")),
        ("span", log.fields.get("spanId")),
        ("trace", log.fields.get("traceId")),
    ):
        if id_:
            return {"kind": kind, "id": id_}
    raise BadEvent(f"{EVENT}: no target: neither gen_ai.response.id nor spanId nor traceId")


def _checked(found: object) -> Log:
    fields, resource = cast(tuple[Any, Any], found)
    if not isinstance(fields, dict):
        raise BadEvent(f"a log record is {type(fields).__name__}, not an object")
    try:
        record, repaired = repair_json(cast(Json, fields))
    except Unclean as error:
        raise BadEvent(str(error)) from error
    attributes = _attributes(record)
    name = record.get("eventName") or attributes.get("event.name")
    if name != EVENT:
        raise BadEvent(f"no {EVENT} but {str(name)[:80]!r}")
    for id_ in ("traceId", "spanId"):
        if (value := record.get(id_)) and not (isinstance(value, str) and HEX.fullmatch(value)):
            raise BadEvent(f"{EVENT}: {id_} is {str(value)[:80]!r}, not 16 or 32 hex digits")
    service = _attributes(cast(Json, resource)).get("service.name") if isinstance(resource, dict) else None
    return Log(record, attributes, service if isinstance(service, str) else None, repaired)


def _attributes(holder: Json) -> Json:
    """Key -> value as plain JSON. Raises BadEvent for a list that is none."""
    listed: object = holder.get("attributes") or []
    if not isinstance(listed, list):
        raise BadEvent(f"attributes is {type(listed).__name__}, not a list")
    found: Json = {}
    for pair in cast(list[Any], listed):
        if not isinstance(pair, dict):
            raise BadEvent(f"an attribute is {type(pair).__name__}, not an object")
        named = cast(Json, pair)
        found[str(named.get("key"))] = _plain(named.get("value"))
    return found


def _plain(value: object) -> object:
    """An OTLP AnyValue: 64-bit integers are text there."""
    if not isinstance(value, dict):
        return None
    for kind, inner in cast(Json, value).items():
        if kind == "intValue":
            try:
                return int(inner)
            except (TypeError, ValueError) as error:
                raise BadEvent(f"intValue is {str(inner)[:80]!r}, not an integer") from error
        if kind in ("stringValue", "boolValue", "doubleValue"):
            return inner
    return json.dumps(value)


def _moment(fields: Json) -> str | None:
    """The record's time, in microseconds, as RFC 3339; None where it says 0 or nothing. Raises BadEvent."""
    for name in ("timeUnixNano", "observedTimeUnixNano"):
        given = fields.get(name)
        if given in (None, "", 0, "0"):
            continue
        try:
            return at(EPOCH + timedelta(microseconds=int(str(given)) // 1_000))
        except (ValueError, OverflowError) as error:
            raise BadEvent(f"{EVENT}: {name} is {str(given)[:80]!r}, not nanoseconds since 1970") from error
    return None


def _logs(body: bytes, most: int) -> list[tuple[object, object]]:
    """(record, resource) over all resources and scopes. Raises Turned where the body has another shape."""
    try:
        content: object = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise Turned(400, f"not UTF-8: byte 0x{body[error.start]:02x} at {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise Turned(400, line(f"not JSON: {error}")) from error
    found: list[tuple[object, object]] = []
    for by_resource in _list(content, "resourceLogs"):
        resource = cast(Json, by_resource).get("resource") if isinstance(by_resource, dict) else None
        for by_scope in _list(cast(object, by_resource), "scopeLogs"):
            found += [(record, resource) for record in _list(by_scope, "logRecords")]
            if len(found) > most:
                raise Turned(413, f"the request has more than {most:,} log records, the limit: send it in parts")
    return found


def _list(holder: object, name: str) -> list[Any]:
    if not isinstance(holder, dict):
        raise Turned(400, f"not OTLP: {name} is asked of {type(holder).__name__}, not of an object")
    listed: object = cast(Json, holder).get(name) or []
    if not isinstance(listed, list):
        raise Turned(400, f"not OTLP: {name} is {type(listed).__name__}, not a list")
    return cast(list[Any], listed)
