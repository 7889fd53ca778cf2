# ruff: noqa: D102 (kafka-python documents its own methods)
"""The part of kafka-python that we use, as types: it has none of its own."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ingest.log.base import Columns, Headers, Position


class Out(NamedTuple):
    """An entry as a broker takes it: the topic by the name that brokers know it by."""

    topic: str
    partition: int
    key: bytes
    value: bytes
    headers: Headers


class Transport(Protocol):
    """How entries go out and records come in. Safe to share between threads; faults are kafka-python's classes."""

    def send(self, out: Sequence[Out]) -> list[int]:
        """Send, and give the offsets once all of it is acknowledged by every replica in sync."""
        ...

    def fetch(self, start: Position, end: int, max_records: int, deadline: float) -> Columns:
        """Committed records from `start` on, whose topic is named as brokers know it.

        Ends with the first records that come, when only a gap (aborted records, markers) was left before the offset
        `end`, or at `deadline` (`time.monotonic`).
        """
        ...

    def close(self) -> None:
        """End the connections."""
        ...


class TopicPartition(Protocol):
    """A partition as kafka-python wants it; see `topic_partition`."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...


class Metadata(Protocol):
    """Where the broker put an entry."""

    @property
    def offset(self) -> int: ...


class Pending(Protocol):
    """An entry on its way."""

    def get(self, timeout: float) -> Metadata: ...


class Producer(Protocol):
    """The part of `KafkaProducer` that we use."""

    def send(
        self, topic: str, value: bytes, key: bytes, headers: list[tuple[str, bytes]], partition: int
    ) -> Pending: ...

    def flush(self, timeout: float) -> None: ...

    def close(self, timeout: float) -> None: ...


class Fetched(Protocol):
    """The part of `ConsumerRecord` that we use; `timestamp` is in milliseconds since the epoch."""

    @property
    def offset(self) -> int: ...
    @property
    def timestamp(self) -> int: ...
    @property
    def key(self) -> bytes | None: ...
    @property
    def value(self) -> bytes | None: ...
    @property
    def headers(self) -> Sequence[tuple[str, bytes | None]]: ...


class Consumer(Protocol):
    """The part of `KafkaConsumer` that we use."""

    def assign(self, partitions: list[TopicPartition]) -> None: ...

    def seek(self, partition: TopicPartition, offset: int) -> None: ...

    def poll(self, timeout_ms: int, max_records: int) -> Mapping[TopicPartition, list[Fetched]]: ...

    def position(self, partition: TopicPartition, timeout_ms: int) -> int | None: ...

    def close(self, autocommit: bool, timeout_ms: int) -> None: ...


class Member(Protocol):
    """The part of `KafkaConsumer` that a member of a group uses."""

    def poll(self, timeout_ms: int, max_records: int) -> object: ...

    def assignment(self) -> set[TopicPartition]: ...

    def close(self, autocommit: bool, timeout_ms: int) -> None: ...


class Admin(Protocol):
    """The part of `KafkaAdminClient` that we use. Safe to share between threads. Answers are plain dicts."""

    def describe_cluster(self) -> dict[str, Any]: ...

    def list_topics(self) -> list[str]: ...

    def describe_topics(self, topics: list[str]) -> list[dict[str, Any]]: ...

    def create_topics(self, new_topics: dict[str, dict[str, Any]], wait_for_metadata: bool) -> dict[str, Any]: ...

    def wait_for_topics(self, topic_names: list[str]) -> None: ...

    def describe_configs(self, config_resources: list[Any], *, config_filter: str) -> dict[str, Any]: ...

    def alter_configs(self, config_resources: list[Any]) -> dict[str, Any]: ...

    def list_partition_offsets(
        self, topic_partition_specs: dict[TopicPartition, Any], isolation_level: Any
    ) -> dict[TopicPartition, Any]: ...

    def close(self) -> None: ...
