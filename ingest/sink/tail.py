"""A partition as the sink works on it: where the lake ends, how far the log was read, what is held in between."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.log.base import Columns


class FlushPolicy(NamedTuple):
    """What is held lands once it has this many rows or bytes, or its oldest is held this long. Short times: rows show
    soon. Many small segments are merged by `flywheel compact`."""

    rows: int = 50_000
    bytes: int = 64 * 1024 * 1024
    seconds: float = 1.0


@dataclass
class Tail:
    """Between the last segment and the end of the log. `start` names the next segment; `position` is read from next."""

    topic: str
    partition: int
    topic_id: str
    start: int
    position: int
    parts: list[Columns] = field(default_factory=list[Columns])
    """What is held, as it was read."""
    rows: int = 0
    bytes: int = 0
    since: float = 0.0
    """By the monotonic clock, when the oldest record held was read."""

    def hold(self, columns: Columns) -> None:
        """Take what was read."""
        if not self.rows:
            self.since = time.monotonic()
        if columns.values:
            self.parts.append(columns)
            self.rows += len(columns.values)
            self.bytes += sum(map(len, columns.values))
        self.position = columns.next_offset

    def held(self) -> Columns:
        """All that is held."""
        return Columns.joined(self.parts, self.position)

    def goto(self, position: int) -> None:
        """The lake ends at `position` now; nothing is held."""
        self.start = self.position = position
        self.parts, self.rows, self.bytes = [], 0, 0

    def is_due(self, policy: FlushPolicy) -> bool:
        """Whether what is held is to land now."""
        return self.rows > 0 and (self.is_full(policy) or time.monotonic() - self.since >= policy.seconds)

    def is_full(self, policy: FlushPolicy) -> bool:
        """Whether it is too much to read on first."""
        return self.rows >= policy.rows or self.bytes >= policy.bytes
