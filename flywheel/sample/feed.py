"""The sample onto a log. Feeding it again, or after a feed that was killed, appends only what is missing."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from flywheel.sample.experiment import experiment_events
from flywheel.sample.generate import lines
from ingest.log import Entry, EventLog, entry, replay

CONTENT_TYPE = ("content-type", b"application/cloudevents+json")


def feed(log: EventLog, seed: int = 0) -> int:
    """Append the sample's lines that `log` doesn't hold, in their order, and return how many these were."""
    return _append(log, [Entry(topic, key, value, (CONTENT_TYPE,)) for topic, key, value in lines(seed)])


def feed_experiment(log: EventLog, seed: int = 0) -> int:
    """The same with the events of the sample's experiment."""
    return _append(log, [entry(event) for event in experiment_events(seed)])


def _append(log: EventLog, entries: Sequence[Entry]) -> int:
    there: Counter[bytes] = Counter()
    for topic in sorted({each.topic for each in entries}):
        there.update(sha256(record.value).digest() for record in replay(log, topic))
    missing: list[Entry] = []
    for each in entries:
        seen = sha256(each.value).digest()
        if there[seen]:
            there[seen] -= 1
        else:
            missing.append(each)
    log.append(missing)
    return len(missing)
