"""The topics of one home on a Kafka cluster: creating them as the contract says, and asking about them."""

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from ingest.log import kafka_client as client
from ingest.log.base import check_topic, partition_count
from ingest.log.kafka_client import errors, reaching
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_settings import (
    CLOCK,
    FOR_EVER,
    RETENTION,
    ROLLED_AFTER,
    Difference,
    Found,
    copies_on,
    differences,
    settings,
)
from models.errors import TerminalError, TransientError
from models.topics import BACKFILL_SUFFIX, DEAD_LETTER_SUFFIX, TOPICS

RETRY_FOR = 8.0  # seconds that a question is repeated while a broker restarts or a leader is elected
RETRY_PAUSE = 0.2

Answer = TypeVar("Answer")


class KafkaTopics:
    """What the brokers know of our topics. Safe to share between threads."""

    def __init__(self, servers: list[str], prefix: str, security: KafkaSecurity = OPEN) -> None:
        """Connect. `prefix` is put before the topics' names, with a dot; "" puts none."""
        self.address = ",".join(servers)
        self._servers, self._security = servers, security
        self._before = f"{prefix}." if prefix else ""
        self._lock = Lock()
        self._partitions: dict[str, int] = {}
        with reaching(self.address, "connect"):
            self._admin = client.connect_admin(servers, security)
        cluster = self._ask("describe the cluster", self._admin.describe_cluster)
        self.identity = "/".join(filter(None, (str(cluster["cluster_id"]), prefix)))
        self._brokers = len(cluster["brokers"])

    def name(self, topic: str) -> str:
        """The name that the brokers know `topic` by."""
        return self._before + topic

    def names(self) -> list[str]:
        """Our topics, sorted, without the prefix."""
        everyones = self._ask("list topics", self._admin.list_topics)
        ours = (name.removeprefix(self._before) for name in everyones if name.startswith(self._before))
        return sorted(topic for topic in ours if self._before or not _belongs_to_another(topic))

    def partitions(self, topic: str) -> int:
        """How many partitions `topic` has; 0 if it is not there. `TerminalError` if it keeps the producers' times."""
        check_topic(topic)
        with self._lock:
            if topic in self._partitions:
                return self._partitions[topic]
        found = self._describe(topic)
        if found is None:
            return 0
        self._check_clock(topic)
        with self._lock:
            self._partitions[topic] = len(found["partitions"])
            return self._partitions[topic]

    def ensure(self, topic: str) -> int:
        """How many partitions `topic` has, created if it was not there."""
        if there := self.partitions(topic):
            return there
        copies = copies_on(self._brokers)
        new = {
            "num_partitions": partition_count(topic),
            "replication_factor": copies,
            "configs": settings(topic, copies),
        }
        # Another writer may be faster, which is as good.
        with reaching(self.address, f"create topic {topic}"), suppress(errors.TopicAlreadyExistsError):
            self._admin.create_topics({self.name(topic): new}, wait_for_metadata=False)
        with reaching(self.address, f"see the new topic {topic}"):
            self._admin.wait_for_topics([self.name(topic)])
        # One broker knows it by now. The next to be asked may be another, which has not heard of it yet.
        deadline = time.monotonic() + RETRY_FOR
        while not (there := self.partitions(topic)):
            if time.monotonic() > deadline:
                raise TransientError(
                    f"Kafka at {self.address} has created topic {topic} and does not show it: try again."
                )
            time.sleep(RETRY_PAUSE)
        return there

    def found(self, topic: str) -> Found | None:
        """How `topic` is set up; None if it is not there."""
        check_topic(topic)
        if (described := self._describe(topic)) is None:
            return None
        found = self._settings(topic, list(settings(topic, copies=1)))
        partitions = described["partitions"]
        with self._lock:
            self._partitions[topic] = len(partitions)  # whatever its clock: this is asked in order to mend that
        begins, ends = self.begins(topic), self.ends(topic, committed=False)
        return Found(
            partitions=len(partitions),
            copies=min(len(partition["replica_nodes"]) for partition in partitions),
            empty=begins == ends,
            settings=found,
        )

    def kept_for_ms(self, topic: str) -> int | None:
        """Milliseconds after its arrival that a record is kept at most; None: for ever, or the topic is not there.

        Kafka drops whole segments of its own, the last one only after it has been rolled.
        """
        if not self.partitions(topic):
            return None
        found = self._settings(topic, [RETENTION, ROLLED_AFTER])
        retention, rolled = int(found[RETENTION]), int(found[ROLLED_AFTER])
        return None if retention == FOR_EVER else retention + rolled

    def differences(self, topic: str, *, may_shorten: bool = False) -> list[Difference]:
        """How `topic` differs from what the contract wants; one difference where it is not there."""
        if (found := self.found(topic)) is None:
            return [Difference(topic, "topic", "not there", "created")]
        return differences(topic, found, self._brokers, may_shorten=may_shorten)

    def mend(self, topic: str, differing: list[Difference]) -> None:
        """Create `topic`, or change those of its settings that may be changed."""
        if any(difference.setting == "topic" for difference in differing):
            self.ensure(topic)
            return
        changes = {difference.setting: difference.wanted for difference in differing if not difference.refusal}
        if not changes:
            return
        name = self.name(topic)
        with reaching(self.address, f"change topic {topic}"):
            answer = self._admin.alter_configs([client.topic_changes(name, changes)])
        if (said := answer["topic"][name]) != "OK":
            raise TerminalError(f"Kafka at {self.address} refused to change topic {name}: {said}.")

    def topic_id(self, topic: str) -> str:
        """The uuid that the cluster gave the topic."""
        check_topic(topic)
        found = self._describe(topic)
        if found is None:
            raise TerminalError(f"Kafka at {self.address} has no topic {self.name(topic)}; the first entry creates it.")
        return str(found["topic_id"])

    def begins(self, topic: str) -> dict[int, int]:
        """Partition -> first offset kept."""
        return self._offsets(topic, client.earliest(), client.isolation(committed=True))

    def ends(self, topic: str, *, committed: bool = True) -> dict[int, int]:
        """Partition -> offset after the last record, or only after the last that is part of no open transaction."""
        return self._offsets(topic, client.latest(), client.isolation(committed))

    def close(self) -> None:
        """End the connections."""
        self._admin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _offsets(self, topic: str, of: Any, level: Any) -> dict[int, int]:
        wanted = {client.topic_partition(self.name(topic), number): of for number in range(self.partitions(topic))}
        if not wanted:
            return {}
        found = self._ask(f"ask for offsets of {topic}", lambda: self._admin.list_partition_offsets(wanted, level))
        return {at.partition: int(answer.offset) for at, answer in sorted(found.items())}

    def _describe(self, topic: str) -> dict[str, Any] | None:
        def describe() -> dict[str, Any] | None:
            (found,) = self._admin.describe_topics([self.name(topic)])
            fault = client.error_of(found["error_code"])
            if fault is errors.UnknownTopicOrPartitionError:
                return None
            if fault is not errors.NoError:
                raise fault
            return found

        return self._ask(f"describe topic {topic}", describe)

    def _settings(self, topic: str, wanted: list[str]) -> dict[str, str]:
        """These settings of a topic that is there."""
        name = self.name(topic)

        def describe() -> dict[str, str]:
            answer = self._admin.describe_configs([client.topic_settings(name, wanted)], config_filter="all")
            found = {setting: str(at["value"]) for setting, at in answer["topic"][name].items()}
            if not found.keys() >= set(wanted):
                raise errors.UnknownTopicOrPartitionError  # to the broker that was asked; another knows it
            return found

        return self._ask(f"describe topic {topic}", describe)

    def _check_clock(self, topic: str) -> None:
        clock = self._settings(topic, [CLOCK])[CLOCK]
        if clock != "LogAppendTime":
            raise TerminalError(
                f"Topic {self.name(topic)} on Kafka at {self.address} keeps the producers' times ({CLOCK}={clock}), "
                "and leases need the broker's. Delete it, or set it to LogAppendTime while it is empty "
                "(kafka-configs --alter)."
            )

    def _ask(self, what: str, question: Callable[[], Answer]) -> Answer:
        """The answer to `question`, asked again for a while: a broker that restarts is not worth a fault."""
        deadline = time.monotonic() + RETRY_FOR
        with reaching(self.address, what):
            while True:
                try:
                    return question()
                except client.PASSING as error:
                    if client.is_hopeless(error):
                        raise
                    if time.monotonic() > deadline:
                        client.knock(self._servers, self._security)
                        raise
                time.sleep(RETRY_PAUSE)


def _belongs_to_another(topic: str) -> bool:
    """Without a prefix every topic of the cluster is seen: leave out Kafka's own and those of homes with a prefix."""
    home, _, name = topic.removesuffix(DEAD_LETTER_SUFFIX).removesuffix(BACKFILL_SUFFIX).rpartition(".")
    return topic.startswith("__") or (home != "" and name in TOPICS)
