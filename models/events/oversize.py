"""A text, or an event, that is too large for its place keeps what fits, and a marker says how much was cut."""

from collections.abc import Sequence
from typing import TypeVar, cast

from pydantic import BaseModel

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
    """`event`, or a copy whose texts are cut, all to the same length, so that `dump` has at most `limit` bytes.

    Texts inside a payload (the steps of a rollout) count like its own. Ids and names are never that long, and stay.
    Raises TooLarge if it can't be made to fit: its size is not in its texts.
    """
    if len(dump(event)) <= limit:
        return event
    least, most = LONGEST_NAME, _longest(event)
    if least >= most or len(dump(_cut(event, least))) > limit:
        raise TooLarge(
            f"{event.type} {event.id} has {len(dump(event)):,} bytes and the log takes {limit:,}: its size is not in a "
            "text that could be cut"
        )
    while least < most:  # characters differ in bytes, so by bisection
        middle = (least + most + 1) // 2
        if len(dump(_cut(event, middle))) <= limit:
            least = middle
        else:
            most = middle - 1
    return _cut(event, least)


P = TypeVar("P")


def _cut(part: P, length: int) -> P:
    """`part` of a payload with every text in it cut to `length`."""
    cutting: object = part
    if isinstance(cutting, str):
        cutting = cut(cutting, length)
    elif isinstance(cutting, BaseModel):
        cutting = cutting.model_copy(update={name: _cut(value, length) for name, value in cutting if value is not None})
    elif isinstance(cutting, tuple):
        cutting = tuple(_cut(each, length) for each in cast("tuple[object, ...]", cutting))
    elif isinstance(cutting, list):
        cutting = [_cut(each, length) for each in cast("list[object]", cutting)]
    elif isinstance(cutting, dict):
        entries = cast("dict[object, object]", cutting)
        cutting = {name: _cut(value, length) for name, value in entries.items()}
    return cast("P", cutting)


def _longest(part: object) -> int:
    """Characters of the longest text in `part`."""
    if isinstance(part, str):
        return len(part)
    if isinstance(part, BaseModel):
        return max((_longest(value) for _, value in part), default=0)
    if isinstance(part, (tuple, list)):
        return max((_longest(each) for each in cast("Sequence[object]", part)), default=0)
    if isinstance(part, dict):
        return max((_longest(value) for value in cast("dict[object, object]", part).values()), default=0)
    return 0
