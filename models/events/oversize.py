"""A text, or an event, that is too large for its place keeps what fits, and a marker says how much was cut."""

from typing import TypeVar

from models.errors import TerminalError
from models.events.base import Event
from models.events.cloudevents import dump
from models.feedback import LONGEST_NAME

E = TypeVar("E", bound=Event)

MARKER = " [cut here: {:,} more characters]"
"""How a cut text ends."""


class TooLarge(TerminalError):
    """An event whose size is not in its texts: nothing of it can be cut."""


def cut(text: str, length: int) -> str:
    """`text`, or its first `length` characters and the marker."""
    return text if len(text) <= length else text[:length] + MARKER.format(len(text) - length)


def within(event: E, limit: int) -> E:
    """`event`, or a copy whose longest texts are cut so that `dump` has at most `limit` bytes.

    Raises TooLarge if it can't be made to fit: its size is not in its texts.
    """
    while len(dump(event)) > limit:
        # Ids and names, which may not be cut, are never that long.
        texts = {name: text for name, text in event if isinstance(text, str) and len(text) > LONGEST_NAME}
        longest = max(texts, key=lambda name: len(texts[name]), default=None)
        if longest is None:
            raise TooLarge(
                f"{event.type} {event.id} has {len(dump(event)):,} bytes and the log takes {limit:,}: its size is not "
                "in a text that could be cut"
            )
        event = _cut(event, longest, texts[longest], limit)
    return event


def _cut(event: E, field: str, text: str, limit: int) -> E:
    """`event` with as much of `text` in `field` as fits, or none of it. Characters differ in bytes, so by bisection."""
    least, most = 0, len(text) - 1
    while least < most:
        middle = (least + most + 1) // 2
        if len(dump(event.model_copy(update={field: cut(text, middle)}))) <= limit:
            least = middle
        else:
            most = middle - 1
    return event.model_copy(update={field: cut(text, least)})
