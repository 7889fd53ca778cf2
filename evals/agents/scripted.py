"""An agent that does what it is told to, in order: for tests, and for baselines that need no model."""

import json
from collections.abc import Sequence
from typing import Any

from environments.world import Offer
from evals.agents.agent import Budget, Ended
from evals.agents.loop import Loop
from evals.agents.script import Script
from evals.agents.tools import RoomWorld
from evals.cleanroom.room import Room
from evals.policies.policy import Reply
from models.events.rollout import Step, ToolCall


def call(tool: str, **arguments: Any) -> Reply:
    """A reply that calls one tool."""
    return Reply(None, (ToolCall(tool=tool, arguments=json.dumps(arguments), call_id=None),))


def say(text: str) -> Reply:
    """A reply without calls."""
    return Reply(text)


class Scripted:
    """Gives `replies` in order, then says that it is done."""

    def __init__(self, replies: Sequence[Reply], *, name: str = "scripted", budget: Budget | None = None) -> None:
        self.name, self._replies, self._budget = name, list(replies), budget or Budget()
        self._next = 0

    def run(self, room: Room, instructions: str, script: Script) -> Ended:
        """See `Agent.run`."""
        self._next = 0
        return Loop(self, RoomWorld(room), script, self._budget).run(instructions)

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        del steps, tools, seconds  # it knows beforehand what it does
        self._next += 1
        if self._next > len(self._replies):
            return Reply("done")
        given = self._replies[self._next - 1]
        calls = tuple(
            each.model_copy(update={"call_id": each.call_id or f"call-{self._next}-{place}"})
            for place, each in enumerate(given.calls)
        )
        return given._replace(calls=calls)
