"""What no lake would hold: integers beyond 64 bits, and nesting without end. Refused before the log has it."""

from functools import cache
from typing import get_args

from models.errors import BadEvent
from models.events import AnyEvent

INT64 = range(-(2**63), 2**63)
DEEPEST = 100
"""Levels of nesting. Python's own limit depends on who reads: what passes here has to pass in the sink."""


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
