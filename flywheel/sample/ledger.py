"""Lines of the log as foreign producers write them, and what must become of them, counted while they are written."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from models.ids import event_id

Line = tuple[str, str, bytes]
"""(topic, key, value)."""

THUMB, THUMB_V1 = "feedback.thumb_given.v2", "feedback.thumb_given.v1"
COMMENT, SCORE, REPORT = "feedback.comment_left.v1", "feedback.score_given.v1", "feedback.report_filed.v1"
SERVED, REGISTERED = "response.served.v1", "checkpoint.registered.v1"
ROLLOUT = "response.rollout_recorded.v1"

BERLIN_SUMMER = timezone(timedelta(hours=2))


class Expected(NamedTuple):
    """What must come out, whatever order and however often the lines go in."""

    records: int
    accepted: dict[str, int]
    """Newest event type -> distinct events that count."""
    duplicates: int
    """Copies of an event, word for word."""
    conflicts: int
    """Events whose (source, id) is another event's: refused into quarantine."""
    not_events: int
    """Records that are no event of their topic: refused into quarantine."""
    repaired: int
    """Events whose text held a lone surrogate."""
    upcast: int
    skewed: int
    """Events from a clock years ahead."""
    without_time: int
    orphans: int
    """Feedback events whose response never comes."""
    before_response: int
    """Feedback events that arrive before their response does."""
    thumbs: dict[str, int]
    """up, down, cleared -> accepted thumbs."""
    current_thumbs: dict[str, int]
    """up, down, cleared -> votes that count now: the last of each voter on each target."""
    texts_without_vote: int
    """Comments whose author gave that target no thumb."""
    instructions: dict[str, tuple[int, int]]
    """Checkpoint -> (obeyed, asked) over the prompts that carry an instruction."""
    themes: dict[str, int]
    """Theme -> comments and reports that were written of it, accepted ones."""
    findings: dict[str, int]
    """Rule -> what it must report."""


@dataclass
class Entry:
    """A line before it is put in its place."""

    topic: str
    key: str
    value: bytes
    arrives: float
    """Seconds; lines are sorted by it, ties stay as written."""


@dataclass
class Ledger:
    """All lines so far and their tally."""

    entries: list[Entry] = field(default_factory=list[Entry])
    counts: Counter[str] = field(default_factory=Counter[str])
    accepted: Counter[str] = field(default_factory=Counter[str])
    votes: dict[tuple[str, ...], list[tuple[float, int, str]]] = field(
        default_factory=dict[tuple[str, ...], list[tuple[float, int, str]]]
    )
    themes: Counter[str] = field(default_factory=Counter[str])
    findings: Counter[str] = field(default_factory=Counter[str])

    def write(
        self,
        type_: str,
        source: str,
        data: dict[str, Any],
        moment: datetime | None,
        *,
        arrives: float | None = None,
    ) -> Entry:
        """Write an event that counts. Its id comes from its place in the ledger."""
        id_ = event_id("sample", len(self.entries))
        entry = Entry(*_envelope(type_, source, id_, data, moment), arrives=_arrival(moment, arrives))
        self.entries.append(entry)
        self.accepted[THUMB if type_ == THUMB_V1 else type_] += 1
        self.counts["upcast"] += type_ == THUMB_V1
        self.counts["without_time"] += moment is None
        if type_ in (THUMB, THUMB_V1):
            self._vote(source, data, moment)
        return entry

    def refuse(self, value: bytes, topic: str, key: str, arrives: float) -> None:
        """Write a record that is no event of `topic`."""
        self.entries.append(Entry(topic, key, value, arrives))
        self.counts["not_events"] += 1

    def repeat(self, entry: Entry, *, seconds: float) -> None:
        """Write `entry` again, word for word: a retry whose first answer was lost."""
        self.entries.append(Entry(entry.topic, entry.key, entry.value, entry.arrives + seconds))
        self.counts["duplicates"] += 1

    def contradict(self, entry: Entry, change: dict[str, Any], *, seconds: float) -> None:
        """Write another content under the id of `entry`."""
        envelope = json.loads(entry.value)
        envelope["data"] = {**envelope["data"], **change}
        self.entries.append(Entry(entry.topic, entry.key, _bytes(envelope), entry.arrives + seconds))
        self.counts["conflicts"] += 1

    def lines(self) -> list[Line]:
        """The lines in the order in which they arrive."""
        return [(entry.topic, entry.key, entry.value) for entry in sorted(self.entries, key=lambda e: e.arrives)]

    def expected(self, instructions: dict[str, tuple[int, int]]) -> Expected:
        """The tally."""
        thumbs = Counter(thumb for votes in self.votes.values() for _, _, thumb in votes)
        current = Counter(max(votes)[2] for votes in self.votes.values())
        counts = self.counts
        return Expected(
            records=len(self.entries),
            accepted=dict(sorted(self.accepted.items())),
            duplicates=counts["duplicates"],
            conflicts=counts["conflicts"],
            not_events=counts["not_events"],
            repaired=counts["repaired"],
            upcast=counts["upcast"],
            skewed=counts["skewed"],
            without_time=counts["without_time"],
            orphans=counts["orphans"],
            before_response=counts["before_response"],
            thumbs=dict(sorted(thumbs.items())),
            current_thumbs=dict(sorted(current.items())),
            texts_without_vote=counts["texts_without_vote"],
            instructions=instructions,
            themes=dict(sorted(self.themes.items())),
            findings=dict(sorted(self.findings.items())),
        )

    def _vote(self, source: str, data: dict[str, Any], moment: datetime | None) -> None:
        thumb = ("up" if data["up"] else "down") if "up" in data else data["thumb"] or "cleared"
        voter = (source, data["target"]["kind"], data["target"]["id"], str(data["author"]["id"]))
        when = moment.timestamp() if moment else 0.0
        self.votes.setdefault(voter, []).append((when, data.get("sequence") or 0, thumb))


def _arrival(moment: datetime | None, arrives: float | None) -> float:
    if arrives is None and moment is None:
        raise ValueError("an event without a time needs a place to arrive at")
    return arrives if arrives is not None else moment.timestamp() if moment else 0.0


def _envelope(
    type_: str, source: str, id_: str, data: dict[str, Any], moment: datetime | None
) -> tuple[str, str, bytes]:
    target: dict[str, Any] | None = data.get("target")
    key = str(
        data.get("rollout_id")
        or data.get("response_id")
        or data.get("checkpoint_id")
        or (target["id"] if target else id_)
    )
    topic = {SERVED: "responses", ROLLOUT: "responses", REGISTERED: "checkpoints"}.get(type_, "feedback")
    envelope: dict[str, Any] = {"specversion": "1.0", "type": type_, "source": source, "id": id_}
    if moment is not None:
        envelope["time"] = _written(moment, source)
    envelope["datacontenttype"] = "application/json"
    envelope["data"] = data
    return topic, key, _bytes(envelope)


def _written(moment: datetime, source: str) -> str:
    """A time as its producer writes it: the plugin in its user's zone, the rest in UTC with milliseconds."""
    if source.endswith("ide"):
        return moment.astimezone(BERLIN_SUMMER).isoformat(timespec="seconds")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _bytes(envelope: dict[str, Any]) -> bytes:
    """As most producers do: not canonical, everything beyond ASCII escaped (lone surrogates pass that way)."""
    return json.dumps(envelope).encode()
