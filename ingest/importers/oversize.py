"""Events that are too large for the log keep everything but the end of their largest text, which a marker says."""

from typing import TypeVar

from ingest.importers.base import Refused
from ingest.log import MAX_ENTRY_BYTES
from models.events import dump
from models.events.base import Event

E = TypeVar("E", bound=Event)

ROOM = 10_000
"""Bytes left for key, headers and the marker."""


def fitting(event: E) -> E:
    """`event`, its largest texts cut as far as needed. Raises Refused where that isn't enough."""
    for _ in range(8):
        excess = len(dump(event)) - (MAX_ENTRY_BYTES - ROOM)
        if excess <= 0:
            return event
        texts = {name: value for name in type(event).model_fields if isinstance(value := getattr(event, name), str)}
        name = max(texts, key=lambda name: len(texts[name].encode()))
        content = texts[name].encode()
        kept = content[: max(0, len(content) - excess - 100)].decode(errors="ignore")
        cut = f"{kept} [cut: {len(texts[name]) - len(kept):,} more characters]"
        event = event.model_copy(update={name: cut})
    raise Refused(f"the event has {len(dump(event)):,} bytes; the log takes {MAX_ENTRY_BYTES:,}")
