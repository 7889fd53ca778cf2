"""An event that is too large for the log keeps everything but its largest text, which is cut with a marker."""

from typing import TypeVar

from models.errors import TerminalError
from models.events.base import Event
from models.events.cloudevents import dump

E = TypeVar("E", bound=Event)

MARKER = " [cut here: {:,} more characters]"
"""How a cut text ends."""


def within(event: E, limit: int) -> E:
    """`event`, or a copy whose longest texts are cut so that `dump` has at most `limit` bytes.

    Raises TerminalError if it can't be made to fit: its size is not in its texts.
    """
    while len(dump(event)) > limit:
        texts = {
            name: value for name, value in event if isinstance(value, str) and name not in ("id", "source", "type")
        }
        longest = max(texts, key=lambda name: len(texts[name]), default=None)
        if longest is None or len(texts[longest]) < len(MARKER) + 100:
            raise TerminalError(
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
        if len(dump(_kept(event, field, text, middle))) <= limit:
            least = middle
        else:
            most = middle - 1
    return _kept(event, field, text, least)


def _kept(event: E, field: str, text: str, length: int) -> E:
    return event.model_copy(update={field: text[:length] + MARKER.format(len(text) - length)})
