"""What became of the failure modes between two builds: born, merged, renamed, risen, fallen. Pure; JSON in and out.

Leaves out what was said: a snapshot holds names and counts, no words of persons.
"""

import json
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from stats.rate_ratio import rate_ratios

FALSE_SHARE = 0.05
"""Of what is shown as risen or fallen, so much is chance at most, on average: Benjamini and Hochberg (1995)."""
AT_LEAST = 8
"""Comments of a mode on both sides together from which on it is looked at."""


class Mode(NamedTuple):
    """A failure mode at one time."""

    name: str
    status: str
    feedback_count: int


class Snapshot(NamedTuple):
    """The failure modes of one build."""

    build: int
    built_at: str
    total: int
    """Comments and reports with any mode or none."""
    modes: dict[str, Mode]

    def dump(self) -> bytes:
        """As JSON."""
        return json.dumps(self._asdict(), ensure_ascii=False).encode()


def load(content: bytes) -> list[Snapshot]:
    """Snapshots out of a JSON list of what `dump` gives. Raises ValueError or KeyError where it is none."""
    read = cast(list[dict[str, Any]], json.loads(content))
    return [
        Snapshot(
            int(one["build"]),
            str(one["built_at"]),
            int(one["total"]),
            {mode: Mode(str(name), str(status), int(count)) for mode, (name, status, count) in one["modes"].items()},
        )
        for one in read
    ]


class Move(NamedTuple):
    """A mode whose share of the feedback since is another than before."""

    mode_id: str
    name: str
    ratio: float | None
    """None: nobody had said it before."""
    low: float
    high: float | None
    since: int
    of_since: int
    before: int
    of_before: int


class Changes(NamedTuple):
    """What is different. Names are those of today."""

    born: list[str]
    became: list[tuple[str, str, str]]
    """Name, status before, status now."""
    renamed: list[tuple[str, str]]
    """Name before, name now."""
    gone: list[str]
    risen: list[Move]
    fallen: list[Move]

    @property
    def nothing(self) -> bool:
        """Whether all is as it was."""
        return not any(self)


def changes(before: Snapshot, now: Snapshot) -> Changes:
    """From `before` to `now`. Shares of what was said since are compared with shares of all that was said before."""
    both = sorted(before.modes.keys() & now.modes.keys())
    moved = _moved(before, now, both)
    return Changes(
        born=[now.modes[mode].name for mode in sorted(now.modes.keys() - before.modes.keys())],
        became=[
            (now.modes[mode].name, before.modes[mode].status, now.modes[mode].status)
            for mode in both
            if before.modes[mode].status != now.modes[mode].status
        ],
        renamed=[
            (before.modes[mode].name, now.modes[mode].name)
            for mode in both
            if before.modes[mode].name != now.modes[mode].name
        ],
        gone=[before.modes[mode].name for mode in sorted(before.modes.keys() - now.modes.keys())],
        risen=[move for move in moved if move.low > 1],
        fallen=[move for move in moved if move.low <= 1],
    )


def _moved(before: Snapshot, now: Snapshot, both: list[str]) -> list[Move]:
    """The modes whose share moved by more than chance explains over all of them; the farthest first."""
    since = now.total - before.total
    counts = [(mode, now.modes[mode].feedback_count - before.modes[mode].feedback_count) for mode in both]
    # Fewer than before: assigned anew, corrected or erased, which is no trend.
    tested = [
        (mode, count, before.modes[mode].feedback_count)
        for mode, count in counts
        if count >= 0 and count + before.modes[mode].feedback_count >= AT_LEAST
    ]
    if since <= 0 or before.total <= 0 or not tested:
        return []
    found = rate_ratios(
        [count for _, count, _ in tested], [since] * len(tested), [count for *_, count in tested],
        [before.total] * len(tested),
    )  # fmt: skip
    q_values: list[float] = cast(Any, stats).false_discovery_control(found.p_value).tolist()
    moves = [
        Move(
            mode, now.modes[mode].name, _finite(found.ratio[place]), float(found.low[place]),
            _finite(found.high[place]), new, since, old, before.total,
        )
        for place, (mode, new, old) in enumerate(tested)
        if q_values[place] <= FALSE_SHARE
    ]  # fmt: skip
    return sorted(moves, key=lambda move: (-abs(np.log(move.ratio or 1e-9)), move.mode_id))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
