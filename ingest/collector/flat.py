"""Flat JSON bodies for those who send one kind of event: a thumb is `{"response_id": "r1", "thumb": "up"}`.

A field that is not known is refused and named: dropped, it would be feedback that somebody gave and nobody sees.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from ingest.collector.answers import Refusal, Turned
from ingest.collector.identity import made_id
from ingest.collector.offered import Offered, Sender, from_event, line
from ingest.collector.split import NOTHING, is_list, split
from models.errors import BadEvent
from models.events import HEADERS, AnyEvent, parse, type_name
from models.events.base import ENVELOPE, Event
from models.events.comment import CommentLeft
from models.events.experiment import ExposureLogged, MetricObserved
from models.events.privacy import ErasureRequested
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven

Fields = dict[str, Any]

TARGETS = {
    "response_id": "response",
    "message_id": "message",
    "trace_id": "trace",
    "span_id": "span",
    "conversation_id": "conversation",
}
WHO = frozenset({"id", "source", "occurred_at"})
ABOUT = frozenset({*TARGETS, "target", "author", "author_id", "author_kind"})
UNNAMED = "unnamed"


class Said(NamedTuple):
    """One event of a flat object, before it has an id."""

    type: str
    payload: Fields
    id_given: bool = True
    """Whether the object's own `id` is this event's."""


class Kind(NamedTuple):
    """What one endpoint takes."""

    event: type[Event]
    known: frozenset[str]
    required: tuple[str, ...]
    read: Callable[[Fields], list[Said]]
    """The object's fields, less `WHO`, to events. Raises BadEvent."""


def read(kind: Kind, body: bytes, sender: Sender, most: int) -> list[Offered]:
    """What `body`, an object or a list of them, offers. Raises Turned: 400 where it can't be read, 413."""
    parts = split(body, most) if is_list(body) else [body]
    if not parts:
        raise Turned(400, NOTHING, head=True)
    return [offered for index, part in enumerate(parts) for offered in _object(kind, index, part, sender)]


def _object(kind: Kind, index: int, part: bytes, sender: Sender) -> list[Offered]:
    try:
        fields = _fields(part)
        said = kind.read({name: value for name, value in _checked(kind, fields).items() if name not in WHO})
        return [_offered(index, each, fields, sender) for each in said]
    except BadEvent as error:
        return [Refusal(index, None, None, type_name(cast(Any, kind.event)), line(str(error)))]


def _offered(index: int, said: Said, fields: Fields, sender: Sender) -> Offered:
    given = fields.get("id")
    envelope: Fields = {
        "specversion": "1.0",
        "id": UNNAMED if given is None else given,
        "source": sender.key.default_source if fields.get("source") is None else fields["source"],
        "type": said.type,
        "time": fields.get("occurred_at"),
        "data": said.payload,
    }
    event = parse(json.dumps(envelope).encode(), HEADERS)
    return from_event(index, _with_id(event, index, given is not None, said, sender), sender)


def _with_id(event: AnyEvent, index: int, given: bool, said: Said, sender: Sender) -> AnyEvent:
    if not given:
        return event.model_copy(update={"id": made_id(event, sender.idempotency_key, index)})
    if said.id_given:
        return event
    # What follows from the same object has an id that follows from the object's.
    return event.model_copy(update={"id": made_id(event, f"id:{event.id}", 0)})


def _fields(part: bytes) -> Fields:
    try:
        content: object = json.loads(part.decode())
    except UnicodeDecodeError as error:
        raise BadEvent(f"not UTF-8: byte 0x{part[error.start]:02x} at {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise BadEvent(f"not JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadEvent(f"not a JSON object but {type(content).__name__}")
    return cast(Fields, content)


def _checked(kind: Kind, fields: Fields) -> Fields:
    if unknown := [name for name in fields if name not in kind.known]:
        raise BadEvent(f"unknown field {unknown[0]!r}; known: {', '.join(sorted(kind.known))}")
    if missing := [name for name in kind.required if name not in fields]:
        raise BadEvent(f"{missing[0]} is missing: say null where it is not known or was taken back")
    return fields


def _about(fields: Fields, *, needed: bool = True) -> Fields:
    """`target` and `author`, from the flat fields or as the contract has them."""
    named = [name for name in TARGETS if fields.get(name) is not None]
    target: Any = fields.get("target")
    if len(named) + (target is not None) > 1:
        raise BadEvent(f"more than one target ({', '.join([*named, *(['target'] if target else [])])}): name one")
    if named:
        target = {"kind": TARGETS[named[0]], "id": fields[named[0]]}
    if target is None and needed:
        raise BadEvent(f"no target: name it with one of {', '.join(TARGETS)}")
    author = fields.get("author")
    if author is None:
        author = {"kind": fields.get("author_kind") or "human", "id": fields.get("author_id")}
    elif "author_id" in fields or "author_kind" in fields:
        raise BadEvent("author and author_id or author_kind: send one of them")
    return {"target": target, "author": author}


def _rest(fields: Fields, *left_out: str) -> Fields:
    return {name: value for name, value in fields.items() if name not in ABOUT and name not in left_out}


def _thumb(fields: Fields) -> list[Said]:
    thumb = fields["thumb"]
    if thumb not in ("up", "down", None):
        raise BadEvent(
            f"thumb is {str(thumb)[:80]!r}: say 'up', 'down', or null for a vote taken back; "
            "0 is down to some and taken back to others"
        )
    about = _about(fields)
    said = [Said("feedback.thumb_given.v2", {**about, **_rest(fields, "comment", "reason")})]
    metric = fields.get("metric", "thumb")
    return said + _reason(fields, about) + _comment(fields, about, metric)


def _comment(fields: Fields, about: Fields, metric: Any) -> list[Said]:
    if (text := fields.get("comment")) is None:
        return []
    return [Said("feedback.comment_left.v1", {**about, "text": text, "metric": metric, **_order(fields)}, False)]


def _reason(fields: Fields, about: Fields) -> list[Said]:
    if (label := fields.get("reason")) is None:
        return []
    score = {"metric": "reason", "data_type": "categorical", "label": label}
    return [Said("feedback.score_given.v1", {**about, **score, **_order(fields)}, False)]


def _order(fields: Fields) -> Fields:
    return {name: fields[name] for name in ("sequence", "native_id") if name in fields}


def _text(fields: Fields) -> list[Said]:
    return [Said("feedback.comment_left.v1", {**_about(fields), **_rest(fields)})]


def _score(fields: Fields) -> list[Said]:
    about = _about(fields)
    payload = {**about, **_value(fields), **_rest(fields, "value", "comment")}
    return [Said("feedback.score_given.v1", payload), *_comment(fields, about, fields.get("metric"))]


def _value(fields: Fields) -> Fields:
    """Type, value and label by the JSON type of `value`: 0, false, "" and null are four answers."""
    value = fields["value"]
    if isinstance(value, bool):
        return {"data_type": "boolean", "value": float(value)}
    if isinstance(value, int | float):
        return {"data_type": "numeric", "value": value}
    if isinstance(value, str):
        if fields.get("label") is not None:
            raise BadEvent("value is a text and label is another: send one of them")
        return {"data_type": "categorical", "label": value}
    if value is None:
        return {"data_type": "numeric", "value": None, **({} if "status" in fields else {"status": "skipped"})}
    raise BadEvent(f"value is {type(value).__name__}: a number, a boolean, a text or null")


def _report(fields: Fields) -> list[Said]:
    """With another target, `response_id` is the answer that the author had before them."""
    others = [name for name in (*TARGETS, "target") if name != "response_id" and fields.get(name) is not None]
    inner = {name: value for name, value in fields.items() if name != "response_id"} if others else fields
    seen = {"response_id": fields["response_id"]} if others and "response_id" in fields else {}
    return [
        Said("feedback.report_filed.v1", {"kind": "dogfood", **_about(inner, needed=False), **_rest(inner), **seen})
    ]


def _as_it_is(type_: str) -> Callable[[Fields], list[Said]]:
    return lambda fields: [Said(type_, fields)]


def _exposure(fields: Fields) -> list[Said]:
    _somebody(fields)
    return [Said("experiment.exposure_logged.v1", fields)]


def _somebody(fields: Mapping[str, Any]) -> None:
    if fields.get("person_id") is None and fields.get("anonymous_id") is None:
        raise BadEvent("nobody was exposed: name them with person_id or anonymous_id")


def _known(event: type[Event], *more: str) -> frozenset[str]:
    """The payload's own fields, and what every flat object may have."""
    flat = ABOUT if "target" in event.model_fields else frozenset[str]()
    ours = {"job_id", "epoch"} if event is ScoreGiven else set[str]()
    return frozenset(event.model_fields) - ENVELOPE - ours | WHO | flat | set(more)


KINDS: dict[str, Kind] = {
    "thumbs": Kind(ThumbGiven, _known(ThumbGiven, "comment", "reason"), ("thumb",), _thumb),
    "comments": Kind(CommentLeft, _known(CommentLeft), ("text",), _text),
    "scores": Kind(ScoreGiven, _known(ScoreGiven, "comment"), ("metric", "value"), _score),
    "reports": Kind(ReportFiled, _known(ReportFiled), ("text",), _report),
    "responses": Kind(ResponseServed, _known(ResponseServed), ("response_id",), _as_it_is("response.served.v1")),
    "exposures": Kind(ExposureLogged, _known(ExposureLogged), ("experiment_id", "variant"), _exposure),
    "metrics": Kind(
        MetricObserved, _known(MetricObserved), ("metric", "value"), _as_it_is("experiment.metric_observed.v1")
    ),
    "erasures": Kind(
        ErasureRequested, _known(ErasureRequested), ("person_id",), _as_it_is("privacy.erasure_requested.v1")
    ),
}
"""By the last part of the path: `/v1/thumbs`."""

__all__ = ["KINDS", "Kind", "Turned", "read"]
