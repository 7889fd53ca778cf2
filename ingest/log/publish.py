"""Events to the log: canonical form, key and topic of each come from the event itself."""

from collections.abc import Iterable
from itertools import islice

from ingest.log.base import Entry, EventLog, Position
from models.events import AnyEvent, dump

CHUNK = 5_000
"""Events held in memory at a time."""

CONTENT_TYPE = ("content-type", b"application/cloudevents+json; charset=UTF-8")
"""What says on Kafka that the value is a whole CloudEvent (structured mode)."""


def publish(log: EventLog, events: Iterable[AnyEvent]) -> list[Position]:
    """Append `events` and return their positions, once the log has acknowledged all.

    If it raises, a part may be in the log. Publish again: ids make the copies harmless.
    """
    positions: list[Position] = []
    rest = iter(events)
    while chunk := list(islice(rest, CHUNK)):
        positions += log.append([Entry(event.topic, event.key, dump(event), (CONTENT_TYPE,)) for event in chunk])
    return positions
