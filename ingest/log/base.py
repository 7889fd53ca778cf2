"""What a log is: the protocol, what goes in and what comes out. How it is kept is the adapters' part."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from models.errors import TerminalError
from models.topics import BACKFILL_SUFFIX, TOPICS

MAX_ENTRY_BYTES = 1_000_000
"""Key, value and headers of one entry together: what a broker takes by default, with room for framing."""

READ_BYTES = 32 * 1024 * 1024
"""A batch ends after about this much, so that a reader's memory does not depend on how large the records are."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

LEGAL_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")


Headers = tuple[tuple[str, bytes], ...]


class Entry(NamedTuple):
    """What is to be appended. Entries of a topic with the same key keep their order."""

    topic: str
    key: str
    value: bytes
    headers: Headers = ()


class Position(NamedTuple):
    """Where an entry was put."""

    topic: str
    partition: int
    offset: int


class Record(NamedTuple):
    """What was read. `appended_at` is by the log's clock, aware, in UTC; within a partition it never runs backwards."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    headers: Headers
    appended_at: datetime


class Batch(NamedTuple):
    """Records in offset order, and the offset to read from next. Offsets have gaps: never work it out from a count."""

    records: tuple[Record, ...]
    next_offset: int


class Columns(NamedTuple):
    """A batch of one partition as parallel lists, for who reads many: no object for each record."""

    offsets: list[int]
    appended_us: list[int]
    """Microseconds since the epoch."""
    keys: list[bytes | None]
    values: list[bytes]
    headers: list[Headers]
    next_offset: int

    @classmethod
    def of(cls, records: Sequence[Record], next_offset: int | None = None) -> "Columns":
        """`records`, which are of one partition."""
        after = records[-1].offset + 1 if records else 0
        return cls(
            [record.offset for record in records],
            [(record.appended_at - EPOCH) // MICROSECOND for record in records],
            [record.key for record in records],
            [record.value for record in records],
            [record.headers for record in records],
            after if next_offset is None else next_offset,
        )

    @classmethod
    def joined(cls, parts: Sequence["Columns"], next_offset: int) -> "Columns":
        """`parts` of one partition, one after the other."""
        if len(parts) == 1:
            return parts[0]._replace(next_offset=next_offset)
        return cls(
            list(chain.from_iterable(part.offsets for part in parts)),
            list(chain.from_iterable(part.appended_us for part in parts)),
            list(chain.from_iterable(part.keys for part in parts)),
            list(chain.from_iterable(part.values for part in parts)),
            list(chain.from_iterable(part.headers for part in parts)),
            next_offset,
        )

    def batch(self, topic: str, partition: int) -> Batch:
        """The same, with an object for each record."""
        rows = zip(self.offsets, self.appended_us, self.keys, self.values, self.headers, strict=True)
        records = (
            Record(topic, partition, offset, key, value, headers, EPOCH + MICROSECOND * micros)
            for offset, micros, key, value, headers in rows
        )
        return Batch(tuple(records), self.next_offset)


class EventLog(Protocol):
    """An append-only log of topics with partitions. Safe to share between threads; not across a fork.

    Every method raises `TransientError` where the same call may succeed later (the broker is out of reach, another
    writer held the lock too long) and `TerminalError` where it can't (a value too large, an offset not kept any more).
    """

    def append(self, entries: Sequence[Entry]) -> list[Position]:
        """Append and return the positions, in the order of `entries`, once the log has acknowledged all of them.

        Topics are created on first use. If it raises, entries may or may not be in the log (the embedded log: none is):
        append them again, readers tell the copies by the event's id.
        """
        ...

    def read(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000, wait: float = 0.0) -> Batch:
        """Up to `max_records` records from `offset` on; what is there now, else what comes within `wait` seconds.

        Nothing there: no records and a `next_offset` that is `offset`, or further on where only a gap was left to pass.
        A topic or partition that is not there yet is empty. A position beyond the end, or before what is kept, is a
        `TerminalError`: it belongs to another log, or records are lost.
        """
        ...

    def read_columns(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Columns:
        """What `read` gives without waiting, as columns: a third of the work for who reads millions."""
        ...

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Partition -> offset after the last record that can be read; {} for a topic that is not there yet."""
        ...

    def begin_offsets(self, topic: str) -> dict[int, int]:
        """Partition -> first offset still kept; {} for a topic that is not there yet."""
        ...

    def topics(self) -> list[str]:
        """The topics that are there, sorted."""
        ...

    def topic_id(self, topic: str) -> str:
        """The id that the topic was given when it was created: positions in a topic of the same name but another id
        mean nothing. `TerminalError` if there is no such topic."""
        ...

    def identity(self) -> str:
        """The id of the log itself: the Kafka cluster's with the prefix, or the uuid made with the embedded log."""
        ...

    def close(self) -> None:
        """Let go of files and connections. What was acknowledged is safe without it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def partition_count(topic: str) -> int:
    """How many partitions `topic` is created with: one where the contract does not name it (a dead-letter topic)."""
    contract = TOPICS.get(topic.removesuffix(BACKFILL_SUFFIX))
    return contract.partitions if contract else 1


def key_bytes(key: str) -> bytes:
    """The key as it stands in the log: UTF-8. `TerminalError` for text that has no UTF-8 form (a lone surrogate)."""
    try:
        return key.encode()
    except UnicodeEncodeError as error:
        raise TerminalError(f"The key {key!r} is not valid Unicode text ({error.reason}); repair it first.") from None


def check_entry(entry: Entry) -> bytes:
    """The entry's key in bytes, if the entry fits every log; else `TerminalError`, before anything is appended."""
    check_topic(entry.topic)
    key = key_bytes(entry.key)
    size = len(key) + len(entry.value) + sum(len(name.encode()) + len(value) for name, value in entry.headers)
    if size > MAX_ENTRY_BYTES:
        raise TerminalError(
            f"The entry with key {entry.key!r} for topic {entry.topic} has {size:,} bytes; the log takes "
            f"{MAX_ENTRY_BYTES:,}. Cut its largest field, or store that beside and send a reference."
        )
    return key


def check_topic(topic: str) -> None:
    """`TerminalError` unless every log can hold a topic of this name."""
    if not LEGAL_TOPIC.fullmatch(topic) or topic in (".", ".."):
        raise TerminalError(f"{topic!r} is not a topic name: 1 to 249 of the letters A-Z a-z 0-9 . _ - are.")
