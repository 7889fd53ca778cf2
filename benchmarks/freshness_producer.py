"""Writes feedback onto a log at a steady rate, as products do, until it is stopped. Its last line is how many it wrote.

    python -m benchmarks.freshness_producer LOG EVENTS_A_SECOND SECONDS [TOPIC]

EVENTS_A_SECOND may be `inf`. A tenth are responses, one in 200 is a comment with new text, all others are thumbs on
recent responses. With `feedback.backfill` as TOPIC: thumbs of last year, as fast as the log takes them, EVENTS_A_SECOND
x SECONDS in all.
"""

import math
import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.grown_home import NEW_TEXT_OF, text_of
from ingest.log import Entry, open_log
from models.events import HEADERS

PEOPLE = 20_000_000
"""25,000 events a second are 2 billion a day: of fewer people each would give hundreds, which is a flood."""
TICK_S = 0.1
AT_ONCE = 10_000
"""Events in one append, where nothing holds it back."""
ENVELOPE = (
    '{{"data":{data},"datacontenttype":"application/json","dataschema":"urn:flywheel:schema:{type}","id":"{id}",'
    '"source":"{source}","specversion":"1.0","subject":"{key}","time":"{time}","type":"{type}"}}'
)
THUMB = (
    '{{"author":{{"id":"{author}","kind":"human"}},"metric":"thumb","native_id":null,"sequence":null,'
    '"target":{{"id":"{target}","kind":"response"}},"thumb":"{thumb}"}}'
)
COMMENT = (
    '{{"author":{{"id":"{author}","kind":"human"}},"metric":null,"native_id":null,"sequence":null,'
    '"target":{{"id":"{target}","kind":"response"}},"text":"{text}"}}'
)
SERVED = (
    '{{"audience":"external","checkpoint_id":null,"completion":"Start with step {number}, then change one thing.",'
    '"conversation_id":"{conversation}","cost_usd":null,"experiment_id":null,"language":"en","latency_ms":120.0,'
    '"message_id":null,"model":"model-{model}","person_id":null,"prompt":"What is the best way to plan step {number}?",'
    '"response_id":"{response}","span_id":null,"tool_calls":null,"trace_id":null,"variant":null}}'
)


def entry(number: int, moment: datetime, chance: random.Random, run: str) -> Entry:
    """The `number`-th event of a run: in the canonical form, as the client and the collector write."""
    time_ = moment.isoformat().replace("+00:00", "Z")
    served = number // 10
    if number % 10 == 0:
        response = f"{run}-r{served}"
        data = SERVED.format(number=served, conversation=f"{run}-c{served // 3}", model=served % 4, response=response)
        return _entry("responses", "response.served.v1", f"{run}-served-{number}", response, data, time_)
    target = f"{run}-r{max(0, served - int(chance.expovariate(1 / 5_000)))}"
    author = f"u{int(PEOPLE * chance.random() ** 2)}"
    if number % NEW_TEXT_OF == 1:
        data = COMMENT.format(author=author, target=target, text=f"{text_of(number)} {run}")
        return _entry("feedback", "feedback.comment_left.v1", f"{run}-said-{number}", target, data, time_)
    data = THUMB.format(author=author, target=target, thumb="down" if chance.random() < 0.3 else "up")
    return _entry("feedback", "feedback.thumb_given.v2", f"{run}-given-{number}", target, data, time_)


def _entry(topic: str, type_: str, id_: str, key: str, data: str, time_: str) -> Entry:  # noqa: PLR0917
    value = ENVELOPE.format(data=data, type=type_, id=id_, source="app", key=key, time=time_)
    return Entry(topic, key, value.encode(), HEADERS)


def main() -> None:
    """Write for SECONDS; behind its rate it does not hurry, so that what is measured is never a burst."""
    # By confluent-kafka, since a product's producers run elsewhere and should take little here.
    url, rate, seconds = sys.argv[1].replace("kafka:", "kafka+fast:"), float(sys.argv[2]), float(sys.argv[3])
    topic = sys.argv[4] if len(sys.argv) > 4 else None
    chance, run = random.Random(3), f"{int(time.time())}"
    written = 0
    with tempfile.TemporaryDirectory() as folder, open_log(url, Path(folder)) as log:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and (topic is None or written < rate * seconds):
            began = time.monotonic()
            count = max(1, int(min(rate * TICK_S, AT_ONCE)))
            count = AT_ONCE if topic else count
            moment = datetime.now(UTC) if topic is None else datetime(2025, 6, 1, tzinfo=UTC)
            entries = [entry(written + each, moment, chance, run) for each in range(count)]
            if topic is not None:
                entries = [each._replace(topic=topic) for each in entries if each.topic == "feedback"]
            log.append(entries)
            written += count
            if topic is None and rate < math.inf:
                time.sleep(max(0.0, TICK_S - (time.monotonic() - began)))
    print(written)


if __name__ == "__main__":
    main()
