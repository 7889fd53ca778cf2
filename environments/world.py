"""What a world is: tools that can be called, and their answers. A room of `evals/cleanroom` is one as well."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class Offer(NamedTuple):
    """A tool that can be called, as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""


class Answer(NamedTuple):
    """What a call gave."""

    text: str
    is_error: bool = False


class BadArguments(Exception):
    """Arguments that are not what the tool takes: told to the model, not to a person."""


class World(Protocol):
    """Somewhere to act. Equal worlds answer equal calls in equal order with equal words."""

    def offers(self) -> Sequence[Offer]:
        """The tools at the start. A script may take one away, or bring one: the loop keeps account of it."""
        ...

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Carry out one call. Raises BadArguments for arguments that the tool doesn't take.

        Whatever else goes wrong inside the world is an `Answer` with `is_error`; a FlywheelError ends the rollout, as
        an infrastructure failure.
        """
        ...

    def bring(self, tool: str, description: str, parameters: dict[str, Any], command: tuple[str, ...]) -> Offer:
        """A script brings a tool in the middle: what `call` answers from now on. Raises FlywheelError if it can't."""
        ...
