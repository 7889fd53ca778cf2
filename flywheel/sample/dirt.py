"""What goes wrong on the way to a log: copies, contradictions, broken clocks, broken text, strangers and orphans."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from flywheel.sample.ledger import COMMENT, SERVED, THUMB, Entry, Ledger
from flywheel.sample.texts import Writer

RETRIES, CONTRADICTIONS, EARLY = 20, 3, 5
FUTURE = datetime(2031, 1, 1, tzinfo=UTC)
SOURCE = "assistant/web"


def spoil(random: Random, ledger: Ledger, writer: Writer, end: datetime) -> None:
    """Add the dirt to a ledger whose clean part is written. `end` is the last moment of that part."""
    clean = list(ledger.entries)
    _let_feedback_overtake(random, ledger, clean)
    for entry in random.sample(clean, RETRIES):
        ledger.repeat(entry, seconds=random.choice((0.0, 2.0, 86_400.0)))
    thumbs = [entry for entry in clean if _content(entry)["type"] == THUMB]
    for entry in random.sample(thumbs, CONTRADICTIONS):
        flipped = "up" if _content(entry)["data"]["thumb"] == "down" else "down"
        ledger.contradict(entry, {"thumb": flipped}, seconds=60.0)
    _break_clocks_and_texts(ledger, writer, end)
    _lose_responses(ledger, writer, end)
    _refuse(ledger, end.timestamp())


def _let_feedback_overtake(random: Random, ledger: Ledger, clean: list[Entry]) -> None:
    """Some responses arrive after the feedback on them: the slow path lost the race."""
    waiting: dict[str, list[Entry]] = {}
    for entry in clean:
        target: dict[str, str] | None = _content(entry)["data"].get("target")
        if target and target["kind"] == "response":
            waiting.setdefault(target["id"], []).append(entry)
    served = [entry for entry in clean if _content(entry)["type"] == SERVED and entry.key in waiting]
    for entry in random.sample(served, EARLY):
        entry.arrives = max(feedback.arrives for feedback in waiting[entry.key]) + 1.0
        ledger.counts["before_response"] += len(waiting[entry.key])


def _break_clocks_and_texts(ledger: Ledger, writer: Writer, end: datetime) -> None:
    for number in range(4):
        comment = _comment(f"r-{40 + number:04}", f"u-clock-{number}", writer.comment("latency_cost"))
        ledger.write(COMMENT, SOURCE, comment, FUTURE, arrives=end.timestamp() + number)
        ledger.themes["latency_cost"] += 1
        ledger.counts["skewed"] += 1
        ledger.counts["texts_without_vote"] += 1
    for number, text in enumerate(
        ("cut off in the middle of an emoji \ud83d", "\ude00 and one that lost its first half")
    ):
        comment = _comment(f"r-{50 + number:04}", f"u-emoji-{number}", text)
        ledger.write(COMMENT, SOURCE, comment, end, arrives=end.timestamp() + 10 + number)
        ledger.counts["repaired"] += 1
        ledger.counts["texts_without_vote"] += 1


def _lose_responses(ledger: Ledger, writer: Writer, end: datetime) -> None:
    """Feedback on responses that never come."""
    for number in range(6):
        given = _comment(f"r-lost-{number}", f"u-lost-{number}", writer.comment("tool_use"))
        moment = end + timedelta(minutes=number)
        ledger.write(COMMENT, SOURCE, given, moment)
        ledger.themes["tool_use"] += 1
        thumb = {"target": given["target"], "author": given["author"], "thumb": "down", "metric": "thumb"}
        ledger.write(THUMB, SOURCE, thumb, moment + timedelta(seconds=2))
        ledger.counts["orphans"] += 2


def _refuse(ledger: Ledger, last: float) -> None:
    """Records that are no event of their topic."""
    nul = _event("nul", COMMENT, _comment("r-0060", "u-nul", "the log says \x00 and then nothing"))
    unknown = _event("unknown", "feedback.applause_given.v1", {"target": {"kind": "response", "id": "r-0061"}})
    thumb = {"target": {"kind": "response", "id": "r-0062"}, "author": {"kind": "human", "id": "u-1"}, "thumb": "up"}
    stray = _event("stray", THUMB, thumb)
    half = _event("half", THUMB, thumb)
    ledger.refuse(nul, "feedback", "r-0060", last + 100)
    ledger.refuse(unknown, "feedback", "r-0061", last + 101)
    ledger.refuse(stray, "responses", "r-0062", last + 102)
    ledger.refuse(half[: len(half) // 2], "feedback", "r-0062", last + 103)
    ledger.refuse(b"\xff\xfe not JSON, not even text", "feedback", "r-0063", last + 104)


def _comment(response_id: str, person: str, text: str) -> dict[str, Any]:
    return {"target": {"kind": "response", "id": response_id}, "author": {"kind": "human", "id": person}, "text": text}


def _event(id_: str, type_: str, data: dict[str, Any]) -> bytes:
    time = "2025-06-23T08:00:00Z"
    envelope = {"specversion": "1.0", "type": type_, "source": SOURCE, "id": f"sample-{id_}", "time": time}
    return json.dumps({**envelope, "data": data}).encode()


def _content(entry: Entry) -> dict[str, Any]:
    return json.loads(entry.value)
