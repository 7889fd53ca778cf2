"""Membership in a Kafka consumer group, to divide partitions between programs and for nothing else.

It reads no records and commits no offsets: positions are kept beside what is derived from the records.
"""

from contextlib import suppress

from ingest.log import kafka_client as client
from ingest.log.kafka_client import errors, reaching
from ingest.log.kafka_security import OPEN, KafkaSecurity
from ingest.log.kafka_topics import KafkaTopics
from ingest.log.kafka_types import Member

SESSION_S = 10.0
"""Seconds without a heartbeat after which a member's partitions go to others."""
LOOK_MS = 20
CLOSE_MS = 1_000


class KafkaGroup:
    """One member of `group`, which divides all partitions of `topics`. For one thread."""

    def __init__(
        self,
        servers: list[str],
        prefix: str,
        group: str,
        topics: list[str],
        *,
        security: KafkaSecurity = OPEN,
        session_s: float = SESSION_S,
    ) -> None:
        """Join. Topics that are not there yet are created: a group learns of later ones only after minutes.

        Raises TransientError where no broker answers.
        """
        self._servers, self._security, self._session_s = servers, security, session_s
        self.address = ",".join(servers)
        with KafkaTopics(servers, prefix, security) as known:
            for topic in topics:
                known.ensure(topic)
            self._topics = {known.name(topic): topic for topic in topics}
            self._group = known.name(group)
        self._member: Member | None = None

    def assigned(self) -> frozenset[tuple[str, int]]:
        """(topic, partition) of what is this member's now; empty while it joins. Call it every few seconds at least.

        Raises TransientError where the cluster does not answer.
        """
        with reaching(self.address, f"divide the partitions in group {self._group}"):
            try:
                if self._member is None:
                    self._member = client.connect_member(
                        self._servers, self._security, self._group, list(self._topics), self._session_s
                    )
                self._member.poll(timeout_ms=LOOK_MS, max_records=1)
                mine = self._member.assignment()
            except errors.KafkaError:
                self.close()
                raise
        return frozenset((self._topics[at.topic], at.partition) for at in mine)

    def close(self) -> None:
        """Leave the group: others take over at once. `assigned` joins again."""
        member, self._member = self._member, None
        if member:
            with suppress(errors.KafkaError):  # it goes either way
                member.close(autocommit=False, timeout_ms=CLOSE_MS)
