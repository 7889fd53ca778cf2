"""A log as the lake has it: the lane for backfills of a topic is more partitions of that topic.

For whoever goes from the log to the lake or back. Writers name the lane's own topic.
"""

import time
from collections.abc import Callable

from ingest.log.base import Batch, Columns, EventLog
from models.topics import BACKFILL_SUFFIX, BACKFILLED, FIRST_BACKFILL_PARTITION, log_place

LOOK_EVERY_S = 2.0
"""A lane that is not there yet is looked for again after this: on Kafka it is a question to the cluster."""


class Lanes:
    """Partitions by their number in the lake. It closes nothing: the log is its opener's. For one thread."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._lanes: frozenset[str] = frozenset()
        self._looked_at = float("-inf")

    def read(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Batch:
        """See `EventLog`. The records say the lake's partition."""
        return self.read_columns(topic, partition, offset, max_records=max_records).batch(topic, partition)

    def read_columns(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Columns:
        """See `EventLog`."""
        return self._log.read_columns(*log_place(topic, partition), offset, max_records=max_records)

    def end_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`."""
        return self._log.end_offsets(topic) | self._shifted(topic, self._log.end_offsets)

    def begin_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`."""
        return self._log.begin_offsets(topic) | self._shifted(topic, self._log.begin_offsets)

    def topic_id(self, topic: str, partition: int) -> str:
        """The id of the topic that the log keeps `partition` under."""
        return self._log.topic_id(log_place(topic, partition)[0])

    def _shifted(self, topic: str, offsets: Callable[[str], dict[int, int]]) -> dict[int, int]:
        if topic not in BACKFILLED or topic + BACKFILL_SUFFIX not in self._there():
            return {}
        return {
            partition + FIRST_BACKFILL_PARTITION: offset
            for partition, offset in offsets(topic + BACKFILL_SUFFIX).items()
        }

    def _there(self) -> frozenset[str]:
        if len(self._lanes) < len(BACKFILLED) and time.monotonic() - self._looked_at >= LOOK_EVERY_S:
            self._lanes = frozenset(topic for topic in self._log.topics() if topic.endswith(BACKFILL_SUFFIX))
            self._looked_at = time.monotonic()
        return self._lanes
