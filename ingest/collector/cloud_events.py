"""CloudEvents over HTTP: structured, batched and binary mode, as the HTTP binding has them, into what is offered.

Binary mode becomes structured: the log keeps one form. An extension stays with the event, named as it was.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, cast
from urllib.parse import unquote_to_bytes

from ingest.collector.answers import Refusal, Turned
from ingest.collector.identity import keyed_id
from ingest.collector.many import from_batch
from ingest.collector.offered import SCOPE_OF, Offered, Sender, from_bytes, line
from ingest.collector.split import NOTHING, is_list, split

STRUCTURED, BATCH, JSON = "application/cloudevents+json", "application/cloudevents-batch+json", "application/json"
ATTRIBUTE = re.compile("[a-z0-9]{1,64}")
LONGEST_ATTRIBUTE = 8_192

Headers = Iterable[tuple[bytes, bytes]]


def read(body: bytes, media_type: str, headers: Headers, sender: Sender, most: int) -> list[Offered]:
    """What `body` offers. Raises Turned: 400 where it can't be read, 413 for too many events, 415."""
    if media_type not in (STRUCTURED, BATCH, JSON):
        raise Turned(415, f"Content-Type {media_type[:80]!r} is not taken: send {STRUCTURED}, {BATCH} or {JSON}")
    attributes = {name[3:]: value for name, value in headers if name.startswith(b"ce-")}
    if media_type == JSON and b"specversion" in attributes:
        return [_binary(body, attributes, sender)]
    if media_type == BATCH or (media_type == JSON and is_list(body)):
        parts = split(body, most)
        if not parts and media_type != BATCH:  # CloudEvents has an empty batch as valid in a request
            raise Turned(400, NOTHING, head=True)
        offered = from_batch(parts, sender)
        return [_named_or_filled(index, part, offered[index], sender) for index, part in enumerate(parts)]
    return [_structured(0, body, sender)]


def _structured(index: int, value: bytes, sender: Sender) -> Offered:
    return _named_or_filled(index, value, from_bytes(index, value, sender), sender)


def _named_or_filled(index: int, value: bytes, offered: Offered, sender: Sender) -> Offered:
    """`offered`, but for what it leaves out and may; a refusal knows its event by name."""
    if isinstance(offered, Refusal) and offered.id is None and (envelope := _object(value)) is not None:
        if (filled := _filled(index, envelope, sender)) is not None:
            offered = from_bytes(index, filled, sender)
        return _named(offered, envelope) if isinstance(offered, Refusal) and offered.id is None else offered
    return offered


def _filled(index: int, envelope: dict[str, Any], sender: Sender) -> bytes | None:
    """`envelope` with the source and id that it may leave out; None where it leaves out nothing."""
    given = dict(envelope)
    if given.get("source") is None:
        given["source"] = sender.key.default_source
    if given.get("id") is None and sender.idempotency_key is not None and isinstance(given["source"], str):
        given["id"] = keyed_id(given["source"], sender.idempotency_key, index)
    if given == envelope:
        return None
    return json.dumps(given).encode()


def _named(refusal: Refusal, envelope: dict[str, Any]) -> Refusal:
    """`refusal` with the id and source that the sender knows it by."""
    id_, source, type_ = (envelope.get(name) for name in ("id", "source", "type"))
    reason = refusal.reason
    if id_ is None and isinstance(type_, str) and ": id: " in reason:
        reason = f"{line(type_)}: the event has no id: give it one, or send an Idempotency-Key"
    return refusal._replace(
        id=line(id_) if isinstance(id_, str) else None,
        source=line(source) if isinstance(source, str) else None,
        type=type_ if isinstance(type_, str) and type_ in SCOPE_OF else "unknown",
        reason=line(reason),
    )


def _binary(body: bytes, attributes: dict[bytes, bytes], sender: Sender) -> Offered:
    """Attributes are percent-encoded UTF-8, as the HTTP binding has it."""
    envelope: dict[str, Any] = {}
    for name, value in attributes.items():
        known = name.decode("latin-1")
        if not ATTRIBUTE.fullmatch(known):
            return _unreadable(f"header ce-{known} is no attribute: letters a-z and digits only")
        if known == "data":
            return _unreadable("header ce-data is no attribute: the body is the data")
        if len(value) > LONGEST_ATTRIBUTE:
            return _unreadable(f"header ce-{known} has {len(value):,} bytes; the limit is {LONGEST_ATTRIBUTE:,}")
        try:
            envelope[known] = unquote_to_bytes(value).decode()
        except UnicodeDecodeError as error:
            return _unreadable(f"header ce-{known} is not UTF-8 ({error.reason})")
    if (row := envelope.get("importrow")) is not None:
        envelope["importrow"] = int(row) if re.fullmatch("[0-9]{1,18}", row) else row
    try:
        envelope["data"] = json.loads(body.decode())
        value = json.dumps(envelope).encode()
    except UnicodeDecodeError as error:
        return _unreadable(f"not UTF-8: byte 0x{body[error.start]:02x} at {error.start}")
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not JSON: {error}")
    return _structured(0, value, sender)


def _unreadable(reason: str) -> Refusal:
    return Refusal(0, None, None, "unknown", line(reason))


def _object(value: bytes) -> dict[str, Any] | None:
    try:
        content: object = json.loads(value.decode())
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], content) if isinstance(content, dict) else None
