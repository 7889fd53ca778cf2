"""OpenAssistant: votes that were only counted, without author and time.

Two shapes hold the same totals: messages with their emojis (`messages_flat`), and one row a message and emoji
(`emoji_counts`). Both give the same event ids, so that nothing counts twice. Left out: the ranking of siblings.
"""

from typing import cast

from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.json_rows import read_lines
from ingest.importers.sample import Sample
from models.events import AnyEvent
from models.events.base import Json
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.ids import event_id

SOURCE = "import/oasst"
MAX_COUNT = 100_000
"""A total above this is a broken row, not a hundred thousand people."""

NOBODY = Author(kind="human")


def events(row: Json, context: Context) -> list[AnyEvent]:
    """One event a counted vote; for an assistant's message also the response. Raises Refused for votes on a person."""
    message_id = text_of(row.get("message_id"))
    if message_id is None:
        raise Unfit("not an OpenAssistant row: no message_id")
    if "emoji" in row and "count" in row:
        if not isinstance(row["emoji"], str):
            raise Refused(f"the emoji {row['emoji']!r} is no text")
        return _votes(message_id, {row["emoji"]: row["count"]})
    if "emojis" not in row or "role" not in row:
        raise Unfit("not an OpenAssistant row: neither (emoji, count) nor (role, emojis)")
    text = row.get("text")
    if isinstance(text, str):
        context.texts[message_id] = text
    emojis: Json = cast(Json, row["emojis"]) if isinstance(row["emojis"], dict) else {}
    if row["role"] != "assistant":
        return _prompter(emojis)
    parent = text_of(row.get("parent_id"))
    served = ResponseServed(
        id=event_id("oasst", "response", message_id),
        source=SOURCE,
        response_id=message_id,
        message_id=message_id,
        prompt=context.texts.get(parent) if parent else None,
        completion=text if isinstance(text, str) else None,
        conversation_id=text_of(row.get("tree_id")),
        model=text_of(row.get("model_name")),
        language=text_of(row.get("lang")),
    )
    return [served, *_votes(message_id, emojis)]


def _prompter(emojis: Json) -> list[AnyEvent]:
    """A person's question is no feedback; votes on it are about a person, whom no model can learn from."""
    voted = sorted(name for name in emojis if not name.startswith("_"))
    if voted:
        raise Refused("the votes are on a person's message, not on an answer")
    return []


def _votes(message_id: str, counts: Json) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    for emoji, count in sorted(counts.items()):
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MAX_COUNT:
            raise Refused(f"the count of {emoji!r} is {count!r}, not a whole number from 0 to {MAX_COUNT:,}")
        found += [_vote(message_id, emoji, number) for number in range(1, count + 1)]
    return found


def _vote(message_id: str, emoji: str, number: int) -> AnyEvent:
    """One of the votes behind a total: its native id tells it from the others, since nobody knows who gave it."""
    id_ = event_id("oasst", message_id, emoji, number)
    target, native_id = Target(kind="message", id=message_id), f"{message_id}/{emoji}/{number}"
    if emoji in ("+1", "-1"):
        thumb = "up" if emoji == "+1" else "down"
        return ThumbGiven(id=id_, source=SOURCE, target=target, author=NOBODY, thumb=thumb, native_id=native_id)
    score = ScoreGiven(
        id=id_,
        source=SOURCE,
        target=target,
        author=NOBODY,
        metric=emoji,
        data_type="categorical",
        native_id=native_id,
    )
    if emoji == "red_flag":
        return score.model_copy(update={"data_type": "boolean", "value": 1.0, "better": "lower"})
    if emoji.startswith("_skip_"):
        return score.model_copy(update={"metric": emoji.removeprefix("_skip_"), "status": "skipped"})
    return score.model_copy(update={"metric": "emoji", "label": emoji})


def _fits(sample: Sample) -> bool:
    return sample.any_row("message_id", "emojis", "role") or sample.any_row("message_id", "emoji", "count")


OASST = Importer(
    "oasst",
    "Messages with counted emojis, or the counts alone: messages_flat.jsonl.gz",
    read_lines,
    events,
    SOURCE,
    fits=_fits,
)
