"""What an agent is: something that works in a room until it is done, and what it did, step by step."""

from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from evals.agents.script import Script
from evals.cleanroom.room import Room
from evals.grader.grade import Tripwire
from models.events.rollout import Step

Outcome = Literal["finished", "timed_out", "out_of_steps", "failed"]


class Budget(BaseModel):
    """What an agent may use up. What a single command may use are the room's limits."""

    model_config = ConfigDict(frozen=True)

    steps: int = Field(default=60, gt=0)
    """Replies of the model."""
    tokens: int = Field(default=500_000, gt=0)
    """In and out, as the endpoint counts; as a quarter of the characters where it doesn't."""
    seconds: float = Field(default=1800.0, gt=0)


class Ended(NamedTuple):
    """A rollout that is over."""

    outcome: Outcome
    detail: str
    """What ended it: `submitted`, `tokens`, a limit of the room, an error of the endpoint."""
    steps: tuple[Step, ...]
    tools: tuple[str, ...]
    """All that could be called at some time, in order of appearance."""
    seconds: float
    evidence: tuple[Tripwire, ...] = ()
    """What was seen on the way that grading must know, such as a search on the provider's side."""


class Agent(Protocol):
    """Who works on a task."""

    name: str

    def run(self, room: Room, instructions: str, script: Script) -> Ended:
        """Work on `instructions` in `room`. Whatever the agent does is an outcome, never an exception.

        Raises TerminalError for a script that this agent can't follow.
        """
        ...
