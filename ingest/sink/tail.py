"""A partition as the sink works on it: where the lake ends, how far the log was read, what is held in between."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.log.base import Batch, Record


class FlushPolicy(NamedTuple):
    """What is held lands once it has this many rows or bytes, or its oldest is held this long. Few large files: reads
    stay fast. Short times: rows show soon."""

    rows: int = 50_000
    bytes: int = 64 * 1024 * 1024
    seconds: float = 2.0


@dataclass
class Tail:
    """Between the last segment and the end of the log. `start` names the next segment; `position` is read from next."""

    topic: str
    partition: int
    topic_id: str
    start: int
    position: int
    records: list[Record] = field(default_factory=list[Record])
    bytes: int = 0
    since: float = 0.0
    """By the monotonic clock, when the oldest record held was read."""

    def hold(self, batch: Batch) -> None:
        """Take what was read."""
        if not self.records:
            self.since = time.monotonic()
        self.records += batch.records
        self.bytes += sum(len(record.value) for record in batch.records)
        self.position = batch.next_offset

    def goto(self, position: int) -> None:
        """The lake ends at `position` now; nothing is held."""
        self.start = self.position = position
        self.records, self.bytes = [], 0

    def is_due(self, policy: FlushPolicy) -> bool:
        """Whether what is held is to land now."""
        return bool(self.records) and (self.is_full(policy) or time.monotonic() - self.since >= policy.seconds)

    def is_full(self, policy: FlushPolicy) -> bool:
        """Whether it is too much to read on first."""
        return len(self.records) >= policy.rows or self.bytes >= policy.bytes
