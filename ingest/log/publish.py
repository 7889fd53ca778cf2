"""Events to the log: canonical form, key and topic of each come from the event itself."""

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from ingest.log.base import MAX_ENTRY_BYTES, Entry, EventLog, Position
from models.events import HEADERS, AnyEvent, dump
from models.events.base import Event
from models.events.oversize import within
from models.topics import BACKFILL_SUFFIX, BACKFILLED

E = TypeVar("E", bound=Event)

CHUNK = 5_000
"""Events held in memory at a time."""

ROOM = 4_096
"""Bytes of an entry that are left to its key and headers."""


def publish(log: EventLog, events: Iterable[AnyEvent], *, backfill: bool = False) -> list[Position]:
    """Append `events` and return their positions, once the log has acknowledged all.

    `backfill`: through the lane of their topic, where it has one, so that what comes fresh does not wait behind them.

    An event too large for the log goes in with its longest text cut, and says so there. If it raises, a part may be in
    the log. Publish again: ids make the copies harmless.
    """
    positions: list[Position] = []
    rest = iter(events)
    while chunk := list(islice(rest, CHUNK)):
        positions += log.append([entry(event, backfill=backfill) for event in chunk])
    return positions


def fitting(event: E) -> E:
    """`event` as `publish` writes it: an importer has to know what will be in the log. Raises TooLarge."""
    return within(event, MAX_ENTRY_BYTES - ROOM)


def entry(event: AnyEvent, *, backfill: bool = False) -> Entry:
    """`event` as `publish` appends it."""
    value = dump(event)
    if len(value) > MAX_ENTRY_BYTES - ROOM:
        value = dump(fitting(event))
    topic = event.topic + BACKFILL_SUFFIX if backfill and event.topic in BACKFILLED else event.topic
    return Entry(topic, event.key, value, HEADERS)
