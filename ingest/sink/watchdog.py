"""Sees a partition whose log grows while the lake's end stands still: something got stuck without a fault. Pure."""

from dataclasses import dataclass, field

PATIENCE_S = 60.0
"""Seconds that a landing position may stand while the log grows. A flush is due after two."""
PATIENCES = 5
"""How often the partition is begun anew before the sink ends."""


@dataclass
class _Standing:
    position: int
    end: int
    since: float
    patiences: int = 0
    said: str = ""


@dataclass
class Watchdog:
    """Looks at positions as often as it is shown them; times are seconds by one clock."""

    patience_s: float = PATIENCE_S
    _standing: dict[tuple[str, int], _Standing] = field(default_factory=dict[tuple[str, int], _Standing])

    def look(self, topic: str, partition: int, position: int, end: int, now: float) -> tuple[str, int]:
        """What is wrong with the partition, that has landed up to `position` of `end`, and for how many patiences.

        Said once each time that another patience is over; ("", 0) at any other.
        """
        at = self._standing.get((topic, partition))
        if at is None or at.position != position or position >= end:
            self._standing[topic, partition] = _Standing(position, end, now)
            return "", 0
        stood_s = now - at.since
        if stood_s < self.patience_s * (at.patiences + 1) or end <= at.end:
            return "", 0
        at.patiences += 1
        at.said = (
            f"{topic}/{partition} has stood at offset {position} for {stood_s:.0f} s while the log grew from {at.end} "
            f"to {end}"
        )
        return at.said, at.patiences

    def standing(self) -> list[str]:
        """What was said of partitions that still stand."""
        return [at.said for at in self._standing.values() if at.said]

    def forget(self, topic: str, partition: int) -> None:
        """The partition is another's now."""
        self._standing.pop((topic, partition), None)
