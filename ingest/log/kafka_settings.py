"""How a topic should be set up on Kafka, how it differs from that, and which differences may be mended. Pure.

No topic is compacted: the lake folds every event of a key, and claims on `jobs` are decided by the order of all of
them, where compaction would keep the last, which lost. What Kafka drops after its retention, the lake has.
"""

from typing import NamedTuple

from ingest.log.base import MAX_ENTRY_BYTES, partition_count
from models.topics import BACKFILL_SUFFIX, DAY_MS, TOPICS

CLOCK = "message.timestamp.type"
RETENTION = "retention.ms"
ROLLED_AFTER = "segment.ms"
PARTITIONS, COPIES = "partitions", "replication factor"
DEAD_LETTER_DAYS = 30
LARGEST_BATCH = MAX_ENTRY_BYTES + 48_588
"""Bytes: the largest entry with its framing. It is the default of brokers, which a cluster may have lowered."""

FOR_EVER = -1


class Found(NamedTuple):
    """A topic as the cluster has it."""

    partitions: int
    copies: int
    empty: bool
    settings: dict[str, str]


class Difference(NamedTuple):
    """One setting of one topic that is not as wanted."""

    topic: str
    setting: str
    found: str
    wanted: str
    refusal: str = ""
    """Why it is left as it is, and the way out; "" where it may be changed."""


def settings(topic: str, copies: int) -> dict[str, str]:
    """What to ask of the brokers for `topic` with `copies` replicas.

    A write needs two replicas where there are three: one broker may be lost without a loss and without a stop.
    """
    contract = TOPICS.get(topic.removesuffix(BACKFILL_SUFFIX))
    retention_ms = contract.retention_ms if contract else DEAD_LETTER_DAYS * DAY_MS
    return {
        CLOCK: "LogAppendTime",
        "cleanup.policy": "delete",
        RETENTION: str(FOR_EVER if retention_ms is None else retention_ms),
        "retention.bytes": str(FOR_EVER),
        "max.message.bytes": str(LARGEST_BATCH),
        "min.insync.replicas": "2" if copies >= 3 else "1",
        "unclean.leader.election.enable": "false",
    }


def copies_on(brokers: int) -> int:
    """How many replicas a topic gets on a cluster of `brokers`."""
    return min(3, brokers)


def differences(topic: str, found: Found, brokers: int, *, may_shorten: bool = False) -> list[Difference]:
    """How `topic` differs from what is wanted on a cluster of `brokers`.

    `may_shorten`: the caller knows that the lake has what a shorter retention would drop.
    """
    wanted = settings(topic, found.copies)
    differing = [
        Difference(topic, name, found.settings.get(name, ""), value, _refusal(name, value, found, may_shorten))
        for name, value in wanted.items()
        if not _is_met(name, found.settings.get(name, ""), value)
    ]
    counts = ((PARTITIONS, found.partitions, partition_count(topic)), (COPIES, found.copies, copies_on(brokers)))
    return [
        *(
            Difference(topic, name, str(count), str(right), _cannot_count(name, count, right))
            for name, count, right in counts
            if (count != right if name == PARTITIONS else count < right)
        ),
        *differing,
    ]


def _is_met(name: str, found: str, wanted: str) -> bool:
    if name in ("max.message.bytes", "min.insync.replicas") and found:
        return int(found) >= int(wanted)  # more than we ask for is as good
    return found == wanted


def _refusal(name: str, wanted: str, found: Found, may_shorten: bool) -> str:
    if name == CLOCK and not found.empty:
        return (
            "it holds entries with their producers' times, beside which the broker's would run backwards: use another "
            "prefix in --log, or delete the topic and import again"
        )
    drops = name == RETENTION and _forever_as_most(int(wanted)) < _forever_as_most(int(found.settings[RETENTION]))
    drops |= name == "cleanup.policy" and found.settings[RETENTION] != str(FOR_EVER)
    if drops and not may_shorten and not found.empty:
        return (
            "Kafka would drop what is older at once: see that the lake holds it (flywheel status), then say "
            "--shorten-retention"
        )
    return ""


def _forever_as_most(retention_ms: int) -> float:
    return float("inf") if retention_ms == FOR_EVER else retention_ms


def _cannot_count(name: str, found: int, wanted: int) -> str:
    if name == COPIES:
        return (
            "replicas are moved by hand, since it copies the topic over the network: kafka-reassign-partitions, then "
            "apply again"
        )
    if found > wanted:
        return "Kafka takes no partition away; it works as it is, and another prefix in --log begins with fewer"
    return (
        "a new partition changes which one a key belongs to, so the events of one key would stand in two, in no order; "
        "it works as it is, and another prefix in --log begins with more"
    )
