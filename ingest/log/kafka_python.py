"""Entries out and records in by kafka-python: pure Python, nothing to compile. See `Transport`."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import Lock

from ingest.log import kafka_client as client
from ingest.log.base import Columns, Headers, Position
from ingest.log.kafka_reader import KafkaReader
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_types import Fetched, Out, Producer

FLUSH_TIMEOUT = client.DELIVERY_TIMEOUT_MS / 1_000 + 5  # seconds; by then each entry is acknowledged or given up


class KafkaPython:
    """See `Transport`."""

    def __init__(self, servers: list[str], security: KafkaSecurity = OPEN) -> None:
        """Connects on first use."""
        self._servers, self._security = servers, security
        self._lock = Lock()
        self._producer: Producer | None = None
        self._reader = KafkaReader(servers, security)

    def send(self, out: Sequence[Out]) -> list[int]:
        """See `Transport`."""
        with self._sending() as producer:
            pending = [
                producer.send(
                    each.topic, value=each.value, key=each.key, headers=list(each.headers), partition=each.partition
                )
                for each in out
            ]
            producer.flush(timeout=FLUSH_TIMEOUT)
            return [sent.get(timeout=FLUSH_TIMEOUT).offset for sent in pending]

    def fetch(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        """See `Transport`."""
        at = client.topic_partition(start.topic, start.partition)
        fetched, next_offset = self._reader.fetch(at, start.offset, end, max_records, deadline)
        return _columns(fetched, next_offset)

    def close(self) -> None:
        """See `Transport`."""
        with self._lock:
            producer, self._producer = self._producer, None
        self._reader.close()
        if producer:
            producer.close(timeout=5)

    @contextmanager
    def _sending(self) -> Generator[Producer]:
        """The producer, which all threads share. After a fault it is given up: it may still hold what was refused."""
        with self._lock:
            producer = self._producer = self._producer or client.connect_producer(self._servers, self._security)
        try:
            yield producer
        except BaseException:
            with self._lock:
                if self._producer is producer:
                    self._producer = None
            producer.close(timeout=0)
            raise


def _columns(fetched: Sequence[Fetched], next_offset: int) -> Columns:
    headers: list[Headers] = []
    last: Sequence[tuple[str, bytes | None]] = ()
    kept: Headers = ()
    for record in fetched:
        if record.headers is not last and record.headers != last:  # most have the same: one tuple serves them all
            last = record.headers
            kept = tuple((name, value or b"") for name, value in last)
        headers.append(kept)
    return Columns(
        [record.offset for record in fetched],
        [record.timestamp * 1_000 for record in fetched],
        [record.key for record in fetched],
        [record.value or b"" for record in fetched],
        headers,
        next_offset,
    )
