"""The id of an event that was sent without one: made of what the sender vouches for, so that a retry gets the same.

From the idempotency key where there is one. Else from the content, but only where that tells one fact from another:
with a time and an author. Two anonymous votes may be equal and are two; a vote that went up, down and up again said the
same twice. What is left gets a new id.
"""

from uuid import uuid4

from models.events import AnyEvent
from models.ids import event_id
from models.unicode import repair


def made_id(event: AnyEvent, idempotency_key: str | None, index: int) -> str:
    """The id of `event`, the `index`-th of its request."""
    if idempotency_key is not None:
        return keyed_id(event.source, idempotency_key, index, f"{event.type}/{getattr(event, 'metric', '')}")
    author = getattr(event, "author", None)
    person = getattr(author, "id", None) if author is not None else getattr(event, "person_id", None)
    if event.occurred_at is not None and person is not None:
        return event_id("collector", event.source, event.content_hash())
    return str(uuid4())


def keyed_id(source: str, idempotency_key: str, index: int, part: str = "") -> str:
    """The id that an idempotency key gives to `part` of the `index`-th event of a request."""
    return event_id("collector", repair(source)[0], idempotency_key, index, part)
