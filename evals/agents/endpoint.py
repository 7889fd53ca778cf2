"""A model behind an OpenAI-compatible endpoint as an agent: our small tool loop in a room. The endpoint is called from
here, so that the room stays without a network.
"""

from typing import Any

from evals.agents.agent import Budget, Ended
from evals.agents.loop import Loop
from evals.agents.script import Script
from evals.agents.tools import RoomWorld
from evals.cleanroom.room import Room
from evals.policies.endpoint import EndpointPolicy

SYSTEM = (
    "You work in a folder with source code. Do what the user asks by calling tools. "
    "When it is done, answer without calling a tool."
)


class Endpoint(EndpointPolicy):
    """An agent, and a policy: see `EndpointPolicy` for what it can be told."""

    def __init__(
        self, url: str, model: str, *, budget: Budget | None = None, system: str = SYSTEM, **more: Any
    ) -> None:
        super().__init__(url, model, system=system, **more)
        self._budget = budget or Budget()

    def run(self, room: Room, instructions: str, script: Script) -> Ended:
        """See `Agent.run`."""
        return Loop(self, RoomWorld(room), script, self._budget).run(instructions)
