"""The topics of the log: how many partitions each has and how long Kafka keeps it. The lake is the archive."""

from typing import NamedTuple

DAY_MS = 86_400_000


class Topic(NamedTuple):
    """A topic. `retention_ms` is None where Kafka may keep it for ever (small, and no person wrote in it)."""

    name: str
    partitions: int
    retention_ms: int | None


DEAD_LETTER_SUFFIX = ".dlt"

TOPICS: dict[str, Topic] = {
    topic.name: topic
    for topic in (
        Topic("responses", 3, 90 * DAY_MS),
        Topic("feedback", 3, 90 * DAY_MS),
        Topic("taxonomy", 1, None),
        Topic("experiments", 3, 90 * DAY_MS),
        Topic("checkpoints", 1, None),
        Topic("specs", 1, None),
        Topic("jobs", 1, None),
        Topic("results", 1, None),
        Topic("tasks", 1, None),
        Topic("imports", 1, 90 * DAY_MS),
        Topic("privacy", 1, None),
    )
}

BACKFILL_SUFFIX = ".backfill"

BACKFILLED = ("responses", "feedback", "experiments", "results")
"""Topics with a lane of their own, `<topic>.backfill`, for old events that come by the million: what comes fresh does
not wait behind them. It has as many partitions as its topic, and a key has the same one in both."""

LOG_TOPICS = (*TOPICS, *(topic + BACKFILL_SUFFIX for topic in BACKFILLED))
"""Every topic that events are read from: the contract's, and the lanes."""

FIRST_BACKFILL_PARTITION = 1_000
"""In the lake, partition 2 of the lane of a topic is partition 1002 of the topic: one table, positions apart."""


def is_backfill(partition: int) -> bool:
    """Whether a partition of the lake is one of the topic's lane for backfills."""
    return partition >= FIRST_BACKFILL_PARTITION


def log_place(topic: str, partition: int) -> tuple[str, int]:
    """Where a partition of the lake stands in the log: (topic, partition)."""
    if is_backfill(partition):
        return topic + BACKFILL_SUFFIX, partition - FIRST_BACKFILL_PARTITION
    return topic, partition


def lake_place(topic: str, partition: int) -> tuple[str, int]:
    """Where a partition of the log, a topic's or its lane's, stands in the lake: (topic, partition)."""
    if topic.endswith(BACKFILL_SUFFIX):
        return topic.removesuffix(BACKFILL_SUFFIX), partition + FIRST_BACKFILL_PARTITION
    return topic, partition
