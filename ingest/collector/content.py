"""What an event says, in 8 bytes: how the collector tells a copy from a contradiction. And what no lake would hold.

Equal for two events exactly where their `content_hash` is, and several times cheaper; it is compared only with what the
same contract made (see `CONTRACT`).
"""

from functools import cache
from hashlib import blake2b
from typing import get_args

from models.errors import BadEvent
from models.events import EVENT_TYPES, AnyEvent, type_name
from models.events.base import ENVELOPE
from models.ids import digest

INT64 = range(-(2**63), 2**63)
DEEPEST = 100
"""Levels of nesting. Python's own limit depends on who reads: what passes here has to pass in the sink."""

CONTRACT = digest([(type_name(event), list(event.model_fields)) for event in EVENT_TYPES])[:16]
"""Changes with the fields of any event, and so with the bytes that `fingerprint` looks at."""

_LEFT_OUT = set(ENVELOPE)


def fingerprint(event: AnyEvent, *, free_form: bool) -> bytes:
    """`free_form`: the event may hold maps, whose order says nothing. Raises ValueError where it has no JSON form."""
    if free_form:
        return bytes.fromhex(event.content_hash())[:8]
    said = event.model_dump_json(exclude=_LEFT_OUT, exclude_defaults=True)
    return blake2b(f"{event.type} {event.occurred_at} {said}".encode(), digest_size=8).digest()


def check_integers(event: AnyEvent) -> None:
    """Raises BadEvent for an integer that no column holds."""
    for name in _integers(type(event)):
        value: object = getattr(event, name)
        if type(value) is int and value not in INT64:
            raise BadEvent(f"{event.type}: {name} is {value:.3e}, beyond a 64-bit integer")


def check_nesting(value: bytes) -> None:
    """Raises BadEvent for JSON that is nested more than `DEEPEST` levels."""
    if value.count(b"{") + value.count(b"[") <= DEEPEST:
        return
    depth = deepest = 0
    in_text = escaped = False
    for byte in value:
        if in_text:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                in_text = False
        elif byte == 0x22:
            in_text = True
        elif byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    if deepest > DEEPEST:
        raise BadEvent(f"it is nested {deepest:,} levels deep; the limit is {DEEPEST}")


@cache
def _integers(event: type[AnyEvent]) -> tuple[str, ...]:
    return tuple(
        name
        for name, field in event.model_fields.items()
        if field.annotation is int or int in get_args(field.annotation)
    )
