"""How sinks of one home divide the partitions. It saves work and decides nothing: the link to a segment's name does.

So two sinks may for a while both take a partition for theirs (one was asleep, a rebalance is under way): one of them
loses the link and drops what it holds. Positions are the lake's alone, whoever reads.
"""

import time
from typing import Protocol

from ingest.home import Home
from ingest.sink.presence import LEASE_S, running
from models.topics import TOPICS, lake_place

LOOK_EVERY_S = 0.5
"""A look at a group takes 20 ms, which a busy sink has better use for."""


class Share(Protocol):
    """A sink's part of the partitions."""

    shares: bool
    """Whether there may be others with a part of their own."""

    def look(self, name: str) -> None:
        """Work out anew what is whose, for the sink that goes by `name` in the home. Called between two steps."""
        ...

    def is_mine(self, topic: str, partition: int) -> bool:
        """Whether this sink lands the partition, by the last look."""
        ...

    def close(self) -> None:
        """Leave, so that others take over at once."""
        ...


class Everything:
    """All partitions, whoever else is there."""

    shares = False

    def look(self, name: str) -> None:
        """See `Share`."""

    def is_mine(self, topic: str, partition: int) -> bool:
        """See `Share`."""
        return True

    def close(self) -> None:
        """See `Share`."""


class ByPresence:
    """Partitions in turn to the sinks that give signs of life in the home: for the embedded log, which has no groups.

    A sink that died or sleeps loses its part after `lease_s` seconds.
    """

    shares = True

    def __init__(self, home: Home, lease_s: float = LEASE_S) -> None:
        self._home = home
        self._lease_s = lease_s
        self._place, self._members = 0, 0

    def look(self, name: str) -> None:
        """See `Share`."""
        names = [sink.name for sink in running(self._home, self._lease_s) if sink.shares]
        self._place, self._members = (names.index(name), len(names)) if name in names else (0, 0)

    def is_mine(self, topic: str, partition: int) -> bool:
        """See `Share`."""
        return self._members > 0 and (FIRST[topic] + partition) % self._members == self._place

    def close(self) -> None:
        """See `Share`: the sink's own file goes with it."""


class Group(Protocol):
    """The part of `ingest.log.kafka_group.KafkaGroup` that is used; its module takes 0.3 s to load."""

    def assigned(self) -> frozenset[tuple[str, int]]: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class ByGroup:
    """Partitions as a Kafka consumer group divides them."""

    shares = True

    def __init__(self, group: Group) -> None:
        self._group = group
        self._mine: frozenset[tuple[str, int]] = frozenset()
        self._looked_at = 0.0

    def look(self, name: str) -> None:
        """See `Share`. Raises TransientError where the cluster does not answer."""
        if self._mine and time.monotonic() - self._looked_at < LOOK_EVERY_S:
            return
        self._mine = frozenset()  # whatever a fault leaves: not to know is not to own
        self._mine = frozenset(lake_place(*at) for at in self._group.assigned())
        self._looked_at = time.monotonic()

    def is_mine(self, topic: str, partition: int) -> bool:
        """See `Share`."""
        return (topic, partition) in self._mine

    def close(self) -> None:
        """See `Share`."""
        self._group.close()


def _first() -> dict[str, int]:
    """Topic -> number of partitions of the topics before it, so that small topics don't all fall to the first sink."""
    total, first = 0, dict[str, int]()
    for topic, contract in TOPICS.items():
        first[topic] = total
        total += contract.partitions
    return first


FIRST = _first()
