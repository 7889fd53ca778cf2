"""The event log on Kafka: what does not depend on the client that entries go out and records come in by.

`kafka_python` and `fast` are the two clients; topics are asked about by kafka-python either way (`kafka_topics`). Left
out: consumer groups (a reader keeps its position beside what it derived) and transactions of our own. Those of
other producers are honoured: what was aborted is never read.
"""

import os
import time
from collections.abc import Generator, Iterable, Sequence
from datetime import timedelta
from threading import Lock
from types import TracebackType
from typing import Self

from ingest.log import kafka_client as client
from ingest.log.base import Batch, Columns, Entry, Position, check_entry
from ingest.log.kafka_client import errors, reaching
from ingest.log.kafka_python import KafkaPython
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_topics import KafkaTopics
from ingest.log.kafka_types import Out, Transport
from ingest.log.partitioner import partition_of
from models.errors import FlywheelError, TerminalError, TransientError

CHUNK_ENTRIES, CHUNK_BYTES = 5_000, 16 * 1024 * 1024
"""What is on its way at a time: kafka-python holds all that it is given, without a bound."""
READ_TIMEOUT = 30.0  # seconds for records that are known to be there
TOPIC_PAUSE = 0.2  # seconds between two looks for a topic that is not there yet


class KafkaLog:
    """See `EventLog`. The entries of one `append` are no transaction: if it raises, a part may be in the log."""

    def __init__(
        self,
        servers: list[str],
        prefix: str = "",
        security: KafkaSecurity = OPEN,
        transport: Transport | None = None,
    ) -> None:
        """Connect to the cluster that `servers` (host:port) belong to. `TransientError` where none answers.

        `transport`, kafka-python by default, is closed with the log.
        """
        self._owner = os.getpid()
        self._lock = Lock()
        self._closed = False
        self._topics = KafkaTopics(servers, prefix, security)
        self._transport = transport or KafkaPython(servers, security)

    def append(self, entries: Sequence[Entry]) -> list[Position]:
        """See `EventLog`."""
        self._check_open()
        keyed = [(entry, check_entry(entry)) for entry in entries]
        counts = {topic: self._topics.ensure(topic) for topic in dict.fromkeys(entry.topic for entry in entries)}
        positions: list[Position] = []
        for chunk in _chunks(keyed):
            positions += self._send(chunk, counts)
        return positions

    def read(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000, wait: float = 0.0) -> Batch:
        """See `EventLog`."""
        return self._read(Position(topic, partition, offset), max_records, wait).batch(topic, partition)

    def read_columns(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Columns:
        """See `EventLog`."""
        return self._read(Position(topic, partition, offset), max_records, wait=0.0)

    def _read(self, start: Position, max_records: int, wait: float) -> Columns:
        self._check_open()
        topic, partition, offset = start
        deadline = time.monotonic() + wait
        ends = self._topics.ends(topic)
        while not ends and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(TOPIC_PAUSE, left))
            ends = self._topics.ends(topic)
        end = ends.get(partition, 0)
        if offset < 0 or (offset > end and offset > self._topics.ends(topic, committed=False).get(partition, 0)):
            raise self._out_of_range(topic, partition, offset)
        if partition not in ends or (offset >= end and time.monotonic() >= deadline):
            return Columns([], [], [], [], [], offset)
        return self._fetch(start, end, max_records, deadline)

    def end_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`. What lies behind an open transaction can't be read yet, and is beyond this end."""
        self._check_open()
        return self._topics.ends(topic)

    def begin_offsets(self, topic: str) -> dict[int, int]:
        """See `EventLog`."""
        self._check_open()
        return self._topics.begins(topic)

    def topics(self) -> list[str]:
        """See `EventLog`. Without a prefix, topics of other programs on the cluster are among them."""
        self._check_open()
        return self._topics.names()

    def topic_id(self, topic: str) -> str:
        """See `EventLog`: the uuid that the cluster gave it."""
        self._check_open()
        return self._topics.topic_id(topic)

    def kept_for(self, topic: str) -> timedelta | None:
        """How long after its arrival a record is kept at most; None: for ever. No record can be taken out before."""
        self._check_open()
        kept_ms = self._topics.kept_for_ms(topic)
        return None if kept_ms is None else timedelta(milliseconds=kept_ms)

    def identity(self) -> str:
        """See `EventLog`: the cluster's id, and the prefix that tells this log from others there."""
        return self._topics.identity

    def close(self) -> None:
        """See `EventLog`."""
        with self._lock:
            if self._closed or os.getpid() != self._owner:
                return
            self._closed = True
        self._transport.close()
        self._topics.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if os.getpid() != self._owner:
            raise FlywheelError(
                f"The log on Kafka at {self._topics.address} was opened before a fork; open it again in the child."
            )
        if self._closed:
            raise FlywheelError(f"The log on Kafka at {self._topics.address} is closed.")

    def _send(self, chunk: list[tuple[Entry, bytes]], counts: dict[str, int]) -> list[Position]:
        """Send `chunk` and wait until all of it is acknowledged."""
        out = [
            Out(self._topics.name(entry.topic), partition_of(key, counts[entry.topic]), key, entry.value, entry.headers)
            for entry, key in chunk
        ]
        with reaching(self._topics.address, "take entries"):
            offsets = self._transport.send(out)
        return [
            Position(entry.topic, sent.partition, offset)
            for (entry, _), sent, offset in zip(chunk, out, offsets, strict=True)
        ]

    def _fetch(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        topic, partition, offset = start
        name = self._topics.name(topic)
        if offset < end:
            deadline = time.monotonic() + READ_TIMEOUT
        with reaching(self._topics.address, f"send topic {name}, partition {partition} from offset {offset}"):
            try:
                columns = self._transport.fetch(Position(name, partition, offset), end, max_records, deadline)
            except (errors.OffsetOutOfRangeError, errors.NoOffsetForPartitionError):
                raise self._out_of_range(topic, partition, offset) from None
            except errors.CorruptRecordError as error:
                raise TerminalError(
                    f"Topic {name}, partition {partition} is damaged on Kafka at {self._topics.address}, at or "
                    f"after offset {offset} ({client.reason(error)}). Restore it, or replay from the lake."
                ) from error
        if columns.next_offset == offset < end:
            raise TransientError(
                f"Kafka at {self._topics.address} did not send topic {name}, partition {partition} from offset "
                f"{offset} within {READ_TIMEOUT:.0f} s. See that its brokers run."
            )
        return columns

    def _out_of_range(self, topic: str, partition: int, offset: int) -> TerminalError:
        begin, end = (offsets.get(partition, 0) for offsets in (self._topics.begins(topic), self._topics.ends(topic)))
        return TerminalError(
            f"Topic {self._topics.name(topic)}, partition {partition} on Kafka at {self._topics.address} has no offset "
            f"{offset}: it keeps {begin} to {end}. The position is of another log, or its retention has passed; "
            "start again from begin_offsets() and take what is older from the lake."
        )


def _chunks(keyed: Iterable[tuple[Entry, bytes]]) -> Generator[list[tuple[Entry, bytes]]]:
    chunk: list[tuple[Entry, bytes]] = []
    size = 0
    for entry, key in keyed:
        chunk.append((entry, key))
        size += len(entry.value)
        if len(chunk) >= CHUNK_ENTRIES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
