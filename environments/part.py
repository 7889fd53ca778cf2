"""What a local world is put together from: parts, each with tools and a state, made from plain JSON."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from environments.world import Answer, BadArguments, Offer

Arguments = Mapping[str, Any]


class Tool(NamedTuple):
    """A tool, and what carries out its calls."""

    offer: Offer
    act: Callable[[Arguments], Answer]


class Part(Protocol):
    """Some tools over one state."""

    def tools(self) -> list[Tool]:
        """What can be called from the start."""
        ...

    def dormant(self) -> list[Tool]:
        """What a script may bring."""
        ...

    def state(self) -> Any:
        """How things stand, as JSON: what a rubric may look at, and a model may not."""
        ...


def tool(name: str, description: str, act: Callable[[Arguments], Answer], /, *optional: str, **kinds: str) -> Tool:
    """A tool whose arguments are `kinds` (name: JSON type); required unless they stand in `optional`."""
    properties = {each: {"type": kind} for each, kind in kinds.items()}
    required = [each for each in kinds if each not in optional]
    return Tool(Offer(name, description, {"type": "object", "properties": properties, "required": required}), act)


def text(arguments: Arguments, name: str, default: str | None = None) -> str:
    """A text among the arguments. Raises BadArguments where it is none."""
    value = arguments.get(name, default)
    if not isinstance(value, str):
        raise BadArguments(f"{name} must be a text, not {json.dumps(value)[:80]}")
    return value


def whole(arguments: Arguments, name: str, default: int | None = None) -> int:
    """A whole number among the arguments. Raises BadArguments where it is none."""
    value = arguments.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadArguments(f"{name} must be a whole number, not {json.dumps(value)[:80]}")
    return value


def wrong(said: str) -> Answer:
    """An answer that says what went wrong."""
    return Answer(said, is_error=True)
