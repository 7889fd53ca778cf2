"""Entries out and records in by confluent-kafka (librdkafka, in C): the optional extra `[fast]`. See `Transport`.

Same log, same promises, a fraction of the CPU; a home may be used with either. Topics are still asked about by
kafka-python. Faults are raised as kafka-python's classes, so that `reaching` words them.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from ingest.log.base import READ_BYTES, Columns, Headers, Position
from ingest.log.kafka_client import DELIVERY_TIMEOUT_MS, FETCH_WAIT_MS, REQUEST_TIMEOUT_MS, error_of, errors
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_types import Out

FLUSH_TIMEOUT = DELIVERY_TIMEOUT_MS / 1_000 + 5  # seconds; by then each entry is acknowledged or given up
QUEUE_KB = 8 * 1024
"""What a consumer fetches ahead, and what a producer holds."""
MOST_IDLE = 4
"""Consumers that are kept where they stand, so that a reader that goes round its partitions loses nothing that was
fetched ahead."""
FIRST_WAIT, NEXT_WAIT = 0.1, 0.02  # seconds for the first records, and for more of them
CHUNK = 2_000
"""Records that are asked for at a time."""

FAULTS: dict[int, type[Exception]] = {
    KafkaError._AUTO_OFFSET_RESET: errors.OffsetOutOfRangeError,
    KafkaError._BAD_MSG: errors.CorruptRecordError,
    KafkaError._BAD_COMPRESSION: errors.CorruptRecordError,
    KafkaError._MSG_TIMED_OUT: errors.KafkaTimeoutError,
    KafkaError._TIMED_OUT: errors.KafkaTimeoutError,
    KafkaError._QUEUE_FULL: errors.KafkaTimeoutError,
    KafkaError._TRANSPORT: errors.KafkaConnectionError,
    KafkaError._ALL_BROKERS_DOWN: errors.KafkaConnectionError,
    KafkaError._RESOLVE: errors.KafkaConnectionError,
    KafkaError._SSL: errors.KafkaConnectionError,
    KafkaError._AUTHENTICATION: errors.SaslAuthenticationFailedError,
    KafkaError._UNKNOWN_PARTITION: errors.UnknownTopicOrPartitionError,
    KafkaError._UNKNOWN_TOPIC: errors.UnknownTopicOrPartitionError,
}
"""librdkafka's own codes; all others are the brokers'."""


class Librdkafka:
    """See `Transport`."""

    def __init__(self, servers: list[str], security: KafkaSecurity = OPEN) -> None:
        """Connects on first use."""
        self._common = {
            "bootstrap.servers": ",".join(servers),
            "socket.timeout.ms": REQUEST_TIMEOUT_MS,
            "allow.auto.create.topics": False,
            "log_level": 0,  # what it has to say is raised
            **security.for_librdkafka(),
        }
        self._lock = Lock()
        self._producer: Producer | None = None
        self._idle: list[_Cursor] = []
        self._closed = False

    def send(self, out: Sequence[Out]) -> list[int]:
        """See `Transport`."""
        offsets = [-1] * len(out)
        failed: list[KafkaError] = []

        def delivered(number: int, error: KafkaError | None, message: Message) -> None:
            if error is not None:
                failed.append(error)
            else:
                offsets[number] = message.offset() or 0

        with self._sending() as producer:
            for number, each in enumerate(out):
                _produce(producer, each, partial(delivered, number))
            producer.flush(FLUSH_TIMEOUT)
            if failed:
                raise _fault(failed[0])
            if -1 in offsets:
                raise errors.KafkaTimeoutError(f"no acknowledgement within {FLUSH_TIMEOUT:.0f} s")
        return offsets

    def fetch(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        """See `Transport`."""
        try:
            return self._fetch(start, end, max_records, deadline)
        except errors.CorruptRecordError:  # a batch that arrives damaged is asked for once more
            return self._fetch(start, end, max_records, deadline)

    def _fetch(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        with self._cursor(start) as cursor:
            return cursor.read(start, end, max_records, deadline)

    def close(self) -> None:
        """See `Transport`."""
        with self._lock:
            self._closed = True
            producer, self._producer = self._producer, None
            idle, self._idle = self._idle, []
        for cursor in idle:
            cursor.close()
        if producer:
            producer.flush(5)

    @contextmanager
    def _sending(self) -> Generator[Producer]:
        """The producer, which all threads share. After a fault it is given up: it may still hold what was refused."""
        with self._lock:
            producer = self._producer = self._producer or Producer(
                {
                    **self._common,
                    "acks": "all",
                    "enable.idempotence": True,
                    "partitioner": "murmur2_random",
                    "compression.type": "lz4",
                    "linger.ms": 20,  # fills batches; a flush does not wait for it
                    "batch.size": 1_000_000,
                    "message.max.bytes": 1_048_576,
                    "delivery.timeout.ms": DELIVERY_TIMEOUT_MS,
                    "queue.buffering.max.kbytes": 4 * QUEUE_KB,
                }
            )
        try:
            yield producer
        except BaseException as error:
            with self._lock:
                if self._producer is producer:
                    self._producer = None
            producer.purge()
            producer.flush(0)
            if isinstance(error, KafkaException):
                raise _fault(error.args[0]) from error
            raise

    @contextmanager
    def _cursor(self, start: Position) -> Generator["_Cursor"]:
        """A cursor for this thread alone, best one that stands at `start` already. After a fault it is given up."""
        with self._lock:
            there = [cursor for cursor in self._idle if cursor.at == start]
            cursor = there[0] if there else (self._idle[0] if len(self._idle) >= MOST_IDLE else None)
            if cursor:
                self._idle.remove(cursor)
        cursor = cursor or _Cursor(self._common)
        try:
            yield cursor
        except BaseException as error:
            cursor.close()
            if isinstance(error, KafkaException):
                raise _fault(error.args[0]) from error
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(cursor)
                return
        cursor.close()


class _Cursor:
    """A consumer without a group, and where it stands: it reads what it is told to, and commits nothing."""

    def __init__(self, common: dict[str, Any]) -> None:
        self.at: Position | None = None
        self._consumer = Consumer(
            {
                **common,
                "group.id": "flywheel",  # it wants a name, and never joins
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "error",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,  # tells how far a gap at the end goes
                "check.crcs": True,
                "fetch.wait.max.ms": FETCH_WAIT_MS,
                "fetch.message.max.bytes": 2 * 1024 * 1024,
                "queued.max.messages.kbytes": QUEUE_KB,
                "fetch.queue.backoff.ms": 20,
            }
        )

    def read(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        """See `Transport.fetch`. Raises KafkaException, and kafka-python's classes."""
        if self.at != start:
            self._consumer.assign([TopicPartition(*start)])
        self.at = None  # until it is known
        found = _Found(start.offset)
        wait = FIRST_WAIT
        while True:
            left = deadline - time.monotonic()
            wanted = min(CHUNK, max_records - len(found.offsets))
            # Alone at first: `consume` waits until it has all that it is asked for.
            number = wanted if found.offsets else 1
            messages = self._consumer.consume(number, timeout=max(0.0, min(wait, left)))
            found.take(messages)
            if found.fault:
                if not found.offsets:
                    raise found.fault
                return found.columns()  # what came before it is good; the next read begins at it, and raises it
            full = len(found.offsets) >= max_records or found.bytes >= READ_BYTES
            if full or (found.offsets and not messages) or start.offset < end <= found.next_offset or left <= 0:
                break
            wait = NEXT_WAIT if found.offsets else FIRST_WAIT
        self.at = start._replace(offset=found.next_offset)
        return found.columns()

    def close(self) -> None:
        """End its connections."""
        with suppress(KafkaException, RuntimeError):  # it goes either way
            self._consumer.close()


class _Found:
    """Records as they come, in columns."""

    def __init__(self, offset: int) -> None:
        self.next_offset = offset
        self.bytes = 0
        self.offsets: list[int] = []
        self._appended_us: list[int] = []
        self._keys: list[bytes | None] = []
        self._values: list[bytes] = []
        self._headers: list[Headers] = []
        self.fault: Exception | None = None
        """What came instead of a record, once; nothing after it is taken."""
        self._last: object = None
        self._kept: Headers = ()

    def take(self, messages: list[Message]) -> None:
        """Take what came, up to a fault."""
        if any(message.error() is not None for message in messages):
            messages = self._good(messages)
        if not messages:
            return
        values = [_bytes(message.value()) for message in messages]
        self.bytes += sum(map(len, values))
        self._values += values
        self.offsets += [message.offset() or 0 for message in messages]
        self._appended_us += [message.timestamp()[1] * 1_000 for message in messages]
        self._keys += [message.key() for message in messages]
        for message in messages:
            headers = message.headers()
            if headers != self._last:  # most have the same: one tuple serves them all
                self._last = headers
                self._kept = tuple((name, _bytes(value)) for name, value in headers or ())
            self._headers.append(self._kept)
        self.next_offset = max(self.next_offset, self.offsets[-1] + 1)

    def _good(self, messages: list[Message]) -> list[Message]:
        """The records among `messages`, which also have the word that this is the end, or a fault."""
        good: list[Message] = []
        for message in messages:
            error = message.error()
            if error is None:
                good.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self.next_offset = max(self.next_offset, message.offset() or 0)
            else:
                self.fault = _fault(error)
                break
        return good

    def columns(self) -> Columns:
        """What was taken."""
        return Columns(self.offsets, self._appended_us, self._keys, self._values, self._headers, self.next_offset)


def _produce(producer: Producer, out: Out, delivered: Any) -> None:
    while True:
        try:
            producer.produce(
                out.topic, out.value, out.key, out.partition, headers=list(out.headers), on_delivery=delivered
            )
        except BufferError:  # it holds as much as it may: let some go first
            producer.poll(0.1)
        else:
            return


def _bytes(value: str | bytes | None) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""


def _fault(error: KafkaError) -> Exception:
    """librdkafka's fault as kafka-python's class."""
    code = error.code()
    kind = FAULTS.get(code) or (error_of(code) if code > 0 else errors.KafkaError)
    return kind(error.str())
