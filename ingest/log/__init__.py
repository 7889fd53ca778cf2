"""The event log: one protocol, two implementations (SQLite on a local disk, Kafka) that pass the same suite."""

from ingest.log.base import MAX_ENTRY_BYTES, Batch, Entry, EventLog, Position, Record
from ingest.log.open import open_log
from ingest.log.partitioner import partition_of
from ingest.log.publish import entry, publish
from ingest.log.replay import replay

__all__ = [
    "MAX_ENTRY_BYTES",
    "Batch",
    "Entry",
    "EventLog",
    "Position",
    "Record",
    "entry",
    "open_log",
    "partition_of",
    "publish",
    "replay",
]
