"""An event class with fields added, changed or taken away, as an edit of its file would make it."""

from copy import copy
from typing import Any, cast

from pydantic import create_model

from models.events.base import Event
from models.events.score import ScoreGiven

GONE = object()


def mutated(event: type[Event] = ScoreGiven, *, topic: str = "", key_field: str = "", **fields: Any) -> type[Event]:
    """`event` with `fields` in place of its own: (type, default) each, or GONE. It is no subclass of `Event`."""
    kept: dict[str, Any] = {name: (field.annotation, copy(field)) for name, field in event.model_fields.items()}
    changed: dict[str, Any] = {name: field for name, field in {**kept, **fields}.items() if field is not GONE}
    made = cast(
        type[Event], create_model(event.__name__, __config__=event.model_config, __doc__=event.__doc__, **changed)
    )
    made.topic, made.key_field = topic or event.topic, key_field or event.key_field
    return made
