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
        Topic("imports", 1, 90 * DAY_MS),
        Topic("privacy", 1, None),
    )
}
