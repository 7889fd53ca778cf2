"""The sample onto a log. Feeding it again, or after a feed that was killed, appends only what is missing."""

from collections import Counter
from hashlib import sha256

from flywheel.sample.generate import lines
from ingest.log import Entry, EventLog, replay

CONTENT_TYPE = ("content-type", b"application/cloudevents+json")


def feed(log: EventLog, seed: int = 0) -> int:
    """Append the sample's lines that `log` doesn't hold, in their order, and return how many these were."""
    sample = lines(seed)
    there: Counter[bytes] = Counter()
    for topic in sorted({topic for topic, _, _ in sample}):
        there.update(sha256(record.value).digest() for record in replay(log, topic))
    missing: list[Entry] = []
    for topic, key, value in sample:
        seen = sha256(value).digest()
        if there[seen]:
            there[seen] -= 1
        else:
            missing.append(Entry(topic, key, value, (CONTENT_TYPE,)))
    log.append(missing)
    return len(missing)
