"""Everything that a topic holds, once through. Left out: following it, for which see `EventLog.read`."""

from collections.abc import Iterator

from ingest.log.base import EventLog, Record


def replay(log: EventLog, topic: str) -> Iterator[Record]:
    """Every record of every partition, partition by partition, to the end that was seen at the call."""
    return _records(log, topic, log.begin_offsets(topic), log.end_offsets(topic))


def _records(log: EventLog, topic: str, begins: dict[int, int], ends: dict[int, int]) -> Iterator[Record]:
    for partition, end in sorted(ends.items()):
        offset = begins.get(partition, 0)
        while offset < end:
            batch = log.read(topic, partition, offset)
            yield from (record for record in batch.records if record.offset < end)
            if batch.next_offset == offset:
                break  # what stood before `end` has been removed since
            offset = batch.next_offset
