"""Two responses to one prompt, and who preferred which: the events of a row of a set of pairs."""

from collections.abc import Mapping
from typing import Any

from ingest.importers.base import UNNAMED, identified
from models.events import AnyEvent
from models.events.preference import PreferenceGiven
from models.events.response import ResponseServed
from models.feedback import Author, Target
from models.ids import canonical_json

Side = tuple[str, Any, str | None]
"""(id, what it says, model)."""


def pair(
    source: str,
    key: str,
    *,
    conversation: str,
    prompt: str,
    responses: tuple[Side, ...],
    choices: Mapping[str, str | None],
    metric: str,
) -> list[AnyEvent]:
    """Both responses, and a preference by each author of `choices`: first, second, tie, or None where skipped."""
    found: list[AnyEvent] = []
    for response_id, said, model in responses:
        served = ResponseServed(
            id=UNNAMED,
            source=source,
            response_id=response_id,
            prompt=prompt,
            completion=said if isinstance(said, str) or said is None else canonical_json(said),
            conversation_id=conversation,
            model=model,
        )
        found.append(identified(served, source, response_id))
    first, second = (Target(kind="response", id=response_id) for response_id, _, _ in responses)
    for author, choice in choices.items():
        preference = PreferenceGiven(
            id=UNNAMED,
            source=source,
            first=first,
            second=second,
            author=Author(kind="human", id=author),
            choice=choice,  # type: ignore[arg-type]
            status="skipped" if choice is None else "given",
            metric=metric,
            native_id=f"{key}/{author}",
        )
        found.append(identified(preference, key, author))
    return found
