"""What a rubric may look at: the steps of an episode, how it ended, and how the world stands."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from evals.agents.agent import Outcome
from evals.agents.loop import ASK
from models.events.rollout import Step

USE = "use_tool"
"""A call of this tool is one of the tool that it names."""


class Made(NamedTuple):
    """A call that was made."""

    tool: str
    arguments: dict[str, Any]
    """Empty where they were no JSON object."""
    at: int
    """The step that made it."""
    text: str
    """The answer."""
    is_error: bool


class Seen(NamedTuple):
    """An episode that is over."""

    steps: tuple[Step, ...]
    calls: tuple[Made, ...]
    state: Mapping[str, Any]
    """Of each part of the world, by name."""
    before: Mapping[str, Any]
    """The same, before the first step."""
    outcome: Outcome

    @property
    def said(self) -> str:
        """The last words: the text of the last reply, where it calls nothing."""
        last = self.steps[-1] if self.steps else None
        return (last.text or "") if last and last.role == "assistant" and not last.calls else ""

    def user_spoke_at(self) -> list[int]:
        """The steps at which the user spoke, the instructions first."""
        return [place for place, step in enumerate(self.steps) if step.role == "user"]

    def questions(self) -> list[tuple[int, str]]:
        """(step, words) of what the user was asked: calls of `ask`, and replies that end as a question."""
        asked = [(made.at, str(made.arguments.get("question", ""))) for made in self.calls if made.tool == ASK.name]
        asked += [
            (place, step.text)
            for place, step in enumerate(self.steps)
            if step.role == "assistant" and step.text and not step.calls and step.text.rstrip().endswith("?")
        ]
        return sorted(asked)


def calls_of(steps: Sequence[Step]) -> tuple[Made, ...]:
    """Every call with its answer. The loop answers calls in order, whatever their ids say."""
    found: list[Made] = []
    waiting: list[tuple[int, str, dict[str, Any]]] = []
    for place, step in enumerate(steps):
        if step.role == "assistant":
            waiting = [(place, *_through(call.tool, _object(call.arguments))) for call in step.calls]
        elif step.role == "tool" and waiting:
            at, tool, arguments = waiting.pop(0)
            found.append(Made(tool, arguments, at, step.text or "", bool(step.is_error)))
    return tuple(found)


def _through(tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    inner = arguments.get("arguments")
    if tool == USE and isinstance(arguments.get("name"), str) and isinstance(inner, dict):
        return arguments["name"], cast("dict[str, Any]", inner)
    return tool, arguments


def _object(written: str) -> dict[str, Any]:
    try:
        told: Any = json.loads(written or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}
