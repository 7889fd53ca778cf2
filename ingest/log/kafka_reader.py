"""Reading partitions of Kafka from given offsets, by several threads at once. Faults are kafka-python's own."""

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Lock

from ingest.log import kafka_client as client
from ingest.log.kafka_client import errors
from ingest.log.kafka_lean import make_lean
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_types import Consumer, Fetched, TopicPartition

POLL_MS = 100
CLOSE_MS = 1_000


class _Cursor:
    """A consumer and where it stands, so that going on from there costs no seek and uses what was fetched ahead."""

    def __init__(self, consumer: Consumer) -> None:
        self.consumer = consumer
        make_lean(consumer)
        self.partition: TopicPartition | None = None
        self.offset = -1

    def move(self, partition: TopicPartition, offset: int) -> None:
        if self.partition != partition:
            self.consumer.assign([partition])
        if (self.partition, self.offset) != (partition, offset):
            self.consumer.seek(partition, offset)
        self.partition, self.offset = partition, offset


class KafkaReader:
    """A consumer for each thread that reads at the same time (kafka-python's are for one thread each)."""

    def __init__(self, servers: list[str], security: KafkaSecurity = OPEN) -> None:
        self._servers, self._security = servers, security
        self._lock = Lock()
        self._idle: list[_Cursor] = []
        self._closed = False

    def fetch(
        self, partition: TopicPartition, offset: int, end: int, max_records: int, deadline: float
    ) -> tuple[list[Fetched], int]:
        """Records from `offset` on, and the offset after them.

        Ends with the first records that come, when only a gap (aborted records, markers) was left before `end`, or at
        `deadline` (`time.monotonic`), with a KafkaTimeoutError where something should have come. A batch that arrives
        damaged is asked for once more.
        """
        try:
            return self._fetch(partition, offset, end, max_records, deadline)
        except errors.CorruptRecordError:
            return self._fetch(partition, offset, end, max_records, deadline)

    def close(self) -> None:
        """End the connections."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for cursor in idle:
            _end(cursor)

    def _fetch(
        self, partition: TopicPartition, offset: int, end: int, max_records: int, deadline: float
    ) -> tuple[list[Fetched], int]:
        with self._cursor(partition, offset) as cursor:
            cursor.move(partition, offset)
            while True:
                left_ms = max(1, int(1_000 * (deadline - time.monotonic())))
                fetched = cursor.consumer.poll(timeout_ms=min(POLL_MS, left_ms), max_records=max_records)
                records = fetched.get(partition, [])
                # The position passes over gaps, which the records alone don't show.
                position = cursor.consumer.position(partition, timeout_ms=POLL_MS)
                cursor.offset = max(offset, position or 0, records[-1].offset + 1 if records else 0)
                if records or offset < end <= cursor.offset:
                    return records, cursor.offset
                if time.monotonic() >= deadline:
                    if cursor.offset == offset < end:
                        raise errors.KafkaTimeoutError("nothing came")  # and the next to read gets a new consumer
                    return records, cursor.offset

    @contextmanager
    def _cursor(self, partition: TopicPartition, offset: int) -> Generator[_Cursor]:
        """A cursor for this thread alone, best one that stands there already. After a fault it is given up: the next
        poll of such a consumer never returns."""
        with self._lock:
            self._idle.sort(key=lambda cursor: (cursor.partition, cursor.offset) == (partition, offset))
            cursor = self._idle.pop() if self._idle else None
        cursor = cursor or _Cursor(client.connect_consumer(self._servers, self._security))
        try:
            yield cursor
        except BaseException:
            _end(cursor)
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(cursor)
                return
        _end(cursor)


def _end(cursor: _Cursor) -> None:
    with suppress(errors.KafkaError):  # it goes either way
        cursor.consumer.close(autocommit=False, timeout_ms=CLOSE_MS)
