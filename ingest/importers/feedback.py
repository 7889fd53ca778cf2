"""The feedback events of one exported row, for every tool that keeps scores, thumbs and comments in one row."""

from datetime import datetime
from typing import Any, NamedTuple

from ingest.importers.base import UNNAMED, E, identified
from ingest.importers.votes import Score, Thumb, is_thumb_name, read_score, read_thumb
from models.events import AnyEvent
from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.ids import event_id


class Given(NamedTuple):
    """Who said something about what, when, and under which name. Its methods say what was said."""

    source: str
    key: tuple[str | int, ...]
    """What tells this row for ever: the tool and its own id, or the row's content and occurrence."""
    target: Target
    author: Author
    metric: str
    occurred_at: datetime | None
    native_id: str | None
    sequence: int | None = None

    def with_id(self, event: E) -> E:
        """`event` with its id: a row with a native id may change and then says something new; one without is known by
        its content already."""
        if self.native_id is not None:
            return identified(event, *self.key)
        return event.model_copy(update={"id": event_id(*self.key, event.type, self.metric)})

    def thumb(self, thumb: Thumb) -> AnyEvent:
        """A thumb, or its withdrawal."""
        event = ThumbGiven(
            id=UNNAMED,
            source=self.source,
            occurred_at=self.occurred_at,
            target=self.target,
            author=self.author,
            thumb=None if thumb == "cleared" else thumb,
            metric=self.metric,
            sequence=self.sequence,
            native_id=self.native_id,
        )
        return self.with_id(event)

    def verdict(self, value: Any, label: str | None = None, scale: tuple[float, float] | None = None) -> AnyEvent:
        """A person's thumb, where the metric has a thumb's name and the value is one; else a score by the value's type,
        with `label` as its word."""
        if self.author.kind == "human" and is_thumb_name(self.metric):
            thumb = read_thumb(label if value is None else value)
            if thumb is not None:
                return self.thumb(thumb)
        if value is None and label is not None:
            return self.score(Score("categorical", label=label))
        score = read_score(value)
        return self.score(score if label is None else score._replace(label=label), scale)

    def score(self, score: Score, scale: tuple[float, float] | None = None) -> AnyEvent:
        """A score on the row's metric."""
        event = ScoreGiven(
            id=UNNAMED,
            source=self.source,
            occurred_at=self.occurred_at,
            target=self.target,
            author=self.author,
            metric=self.metric,
            data_type=score.data_type,
            value=score.value,
            label=score.label,
            status=score.status,
            scale_min=scale[0] if scale else None,
            scale_max=scale[1] if scale else None,
            sequence=self.sequence,
            native_id=self.native_id,
        )
        return self.with_id(event)

    def comment(self, text: str) -> AnyEvent:
        """What was written; an empty text is a comment without words."""
        event = CommentLeft(
            id=UNNAMED,
            source=self.source,
            occurred_at=self.occurred_at,
            target=self.target,
            author=self.author,
            text=text,
            metric=self.metric,
            sequence=self.sequence,
            native_id=self.native_id,
        )
        return self.with_id(event)


def known_response(
    source: str,
    response_id: str,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    conversation_id: str | None = None,
    message_id: str | None = None,
    model: str | None = None,
) -> AnyEvent:
    """A response that the tool knows of and whose text it doesn't tell: every row about it gives the same event."""
    event = ResponseServed(
        id=UNNAMED,
        source=source,
        response_id=response_id,
        trace_id=trace_id,
        span_id=span_id,
        conversation_id=conversation_id,
        message_id=message_id,
        model=model,
    )
    return identified(event, source, response_id)
