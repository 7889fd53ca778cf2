"""How far the lake is behind the log. It changes nothing, so that anybody may ask at any time."""

from datetime import datetime
from typing import NamedTuple

from ingest.home import Home
from ingest.lake.segments import last_footer
from ingest.log.base import EventLog
from ingest.log.lanes import Lanes
from models.topics import TOPICS


class Behind(NamedTuple):
    """How far one partition is behind."""

    positions: int
    """Positions of the log that have not landed; 0 where nothing is left to land."""
    since: datetime | None
    """When the first record that has not landed was appended; None where there is none."""


def lag(log: EventLog, home: Home) -> dict[tuple[str, int], int]:
    """(topic, partition) -> positions of the log that have not landed; 0 where nothing is left to land."""
    return {at: found.positions for at, found in behind(log, home).items()}


def behind(log: EventLog, home: Home) -> dict[tuple[str, int], Behind]:
    """(topic, partition) -> how far it is behind, for every partition that the log has, by its number in the lake."""
    found: dict[tuple[str, int], Behind] = {}
    lanes = Lanes(log)
    for topic in TOPICS:
        begins = lanes.begin_offsets(topic)
        for partition, end in lanes.end_offsets(topic).items():
            last = last_footer(home, topic, partition)
            # What the log no longer keeps can't be waited for; the sink says that it is lost.
            position = max(last[1].next if last else 0, begins.get(partition, 0))
            since: datetime | None = None
            if position < end:
                # A gap before the end (a transaction's own marks, what was removed) is nothing to wait for.
                batch = lanes.read(topic, partition, position, max_records=1)
                position = batch.records[0].offset if batch.records else batch.next_offset
                since = batch.records[0].appended_at if batch.records else None
            found[topic, partition] = Behind(max(0, end - position), since)
    return found
