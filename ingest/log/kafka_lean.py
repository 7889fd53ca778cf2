"""Records out of kafka-python's batches at a third of its cost: it looks at each of 13 fields of each record, we at 5.

kafka-python has no door for this, so its own class for a fetched partition is replaced by one that unpacks batches
here. What it does around that (sessions, positions, checksums, aborted transactions) stays its own. It is done only
with a version that this was written for, and once it has unpacked a batch as kafka-python does; else nothing changes.
"""

import logging
from collections.abc import Generator
from functools import cache
from typing import Any, NamedTuple, cast

from ingest.log.kafka_client import errors, kafka
from ingest.log.kafka_types import Consumer

logger = logging.getLogger(__name__)

VERSIONS = "3.0."
MOST_HEADERS = 1_024
"""Sets of headers that are kept unpacked: most records have the same."""


class Lean(NamedTuple):
    """A record: see `Fetched`."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def make_lean(consumer: Consumer) -> None:
    """Let `consumer` unpack records by this file, where that is known to be right."""
    if (records := _records_class()) is not None:
        cast(Any, consumer)._fetcher.PartitionRecords = records


@cache
def _records_class() -> type | None:
    if not str(kafka.__version__).startswith(VERSIONS):
        return None
    try:
        made = _subclass()
        _compare()
    except Exception as error:  # whatever it is: kafka-python's own way is right, if slow
        logger.warning("kafka-python %s is read the slow way: %r", kafka.__version__, error)
        return None
    return made


def _subclass() -> type:
    from kafka.consumer.fetcher import Fetcher  # noqa: PLC0415  # pyright: ignore

    stock = cast(Any, Fetcher).PartitionRecords
    committed = kafka.IsolationLevel.READ_COMMITTED

    class LeanRecords(stock):  # pyright: ignore[reportUntypedBaseClass]
        """A fetched partition."""

        def _unpack_records(self: Any, tp: Any, records: Any, _key: object, _value: object) -> Generator[Any]:
            after: int | None = None
            while (batch := records.next_batch()) is not None:
                if batch.magic != 2:
                    raise errors.CorruptRecordError(f"batch of {tp} has the format {batch.magic} of before Kafka 0.11")
                if self.check_crcs and not batch.validate_crc():
                    raise errors.CorruptRecordError(f"batch of {tp} at offset {batch.base_offset} failed its checksum")
                after = batch.next_offset
                self.leader_epoch = batch.leader_epoch
                if self._is_unseen(batch, committed):
                    self.next_fetch_offset = after
                    continue
                for record in unpacked(batch):
                    self.records_read += 1
                    self.next_fetch_offset = record.offset + 1
                    yield record
                self.bytes_read += batch.size_in_bytes
            if after is not None:
                self.next_fetch_offset = after  # also past records that compaction has taken from the end
            self.drain()

        def _is_unseen(self: Any, batch: Any, committed: object) -> bool:
            """Whether the batch is a transaction's marker, or of one that was aborted."""
            if self.isolation_level == committed and batch.has_producer_id():
                self._consume_aborted_transactions_up_to(batch.last_offset)
                if self._contains_abort_marker(batch):
                    self.aborted_producer_ids.discard(batch.producer_id)
                elif self._is_batch_aborted(batch):
                    return True
            return bool(batch.is_control_batch)

    return LeanRecords


def unpacked(batch: Any) -> Generator[Lean]:
    """The records of a kafka-python `DefaultRecordBatch`. Raises CorruptRecordError where its bytes make no sense."""
    batch._maybe_uncompress()
    buffer, pos = bytes(batch._buffer), batch._pos
    base, first = batch.base_offset, batch.first_timestamp
    appended: int | None = batch.max_timestamp if batch.timestamp_type == 1 else None  # LogAppendTime
    known = _HEADERS
    try:
        for _ in range(batch.records_count):
            size, pos = _varint(buffer, pos)
            end = pos + size
            pos += 1  # attributes: none are in use
            since, pos = _varint(buffer, pos)
            number = buffer[pos]
            if number < 0x80:
                number, pos = number >> 1, pos + 1
            else:
                number, pos = _varint(buffer, pos)
            key: bytes | None = None
            length = buffer[pos]
            if length < 0x80:
                length, pos = (length >> 1) ^ -(length & 1), pos + 1
            else:
                length, pos = _varint(buffer, pos)
            if length >= 0:
                key, pos = buffer[pos : pos + length], pos + length
            value: bytes | None = None
            length, pos = _varint(buffer, pos)
            if length >= 0:
                value, pos = buffer[pos : pos + length], pos + length
            if not pos < end <= len(buffer):
                raise errors.CorruptRecordError(f"record {base + number} is longer than its batch")
            packed = buffer[pos:end]
            headers = known.get(packed)
            if headers is None:
                headers = _headers(packed)
                if len(known) < MOST_HEADERS:
                    known[packed] = headers
            pos = end
            yield Lean(base + number, first + since if appended is None else appended, key, value, headers)
    except (IndexError, ValueError) as error:
        raise errors.CorruptRecordError(f"batch at offset {base} can't be unpacked: {error!r}") from error
    if pos != len(buffer):
        raise errors.CorruptRecordError(f"batch at offset {base} has {len(buffer) - pos} bytes behind its last record")


_HEADERS: dict[bytes, tuple[tuple[str, bytes | None], ...]] = {}


def _headers(packed: bytes) -> tuple[tuple[str, bytes | None], ...]:
    count, pos = _varint(packed, 0)
    found: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        length, pos = _varint(packed, pos)
        name, pos = packed[pos : pos + length].decode(), pos + length
        length, pos = _varint(packed, pos)
        content = None if length < 0 else packed[pos : pos + length]
        pos += max(0, length)
        found.append((name, content))
    if pos != len(packed):
        raise ValueError(f"headers end at {pos} of {len(packed)}")
    return tuple(found)


def _varint(buffer: bytes, pos: int) -> tuple[int, int]:
    """The zigzag number at `pos`, and where it ends. See "Record" in Kafka's description of its message format."""
    byte = buffer[pos]
    pos += 1
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), pos
    raw, shift = byte & 0x7F, 7
    while True:
        byte = buffer[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), pos
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 10 bytes")


def _compare() -> None:
    """See that a batch is unpacked as kafka-python does it."""
    from kafka.record.default_records import (  # noqa: PLC0415  # pyright: ignore
        DefaultRecordBatch,
        DefaultRecordBatchBuilder,
    )

    builder: Any = cast(Any, DefaultRecordBatchBuilder)(2, 0, False, -1, -1, -1, 1 << 20)
    for number in range(200):
        headers = [("name", b"x" * number), ("é", b"")][: number % 3]
        key, value = (None, b"k" * number)[number % 2], (b"v" * number * 9, None)[number % 7 == 6]
        builder.append(number, 1_700_000_000_000 + number * number * 40, key, value, headers)
    packed = bytes(builder.build())
    stock = [
        Lean(record.offset, record.timestamp, record.key, record.value, tuple(record.headers))
        for record in cast(Any, DefaultRecordBatch)(packed)
    ]
    if list(unpacked(cast(Any, DefaultRecordBatch)(packed))) != stock:
        raise AssertionError("the two ways to unpack a batch differ")
