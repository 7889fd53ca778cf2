"""What happens to an agent while it works: a user who interrupts, or answers; a tool that is taken away, or comes.

A script is plain JSON, so that a spec can hold one.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.feedback import Name

NO_ANSWER = "I can't say more about it. Decide yourself, and go on."


class Say(BaseModel):
    """The user says something in the middle."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["say"] = "say"
    text: str


class TakeAway(BaseModel):
    """A tool is there no more. The agent isn't told: a call of it is answered with an error."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["take_away"] = "take_away"
    tool: Name


class Bring(BaseModel):
    """A new tool: a command that gets the call's arguments as JSON on its standard input, in the room."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["bring"] = "bring"
    tool: Name
    description: str
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """JSON Schema of the arguments."""
    command: tuple[str, ...]


class Cue(BaseModel):
    """When something happens. Each cue happens once."""

    model_config = ConfigDict(frozen=True)

    at_step: int | None = Field(default=None, ge=0)
    """Before the agent's reply of this number, from 0."""
    on_tool: Name | None = None
    """After this tool was called for the first time, and answered."""
    do: Annotated[Say | TakeAway | Bring, Field(discriminator="kind")]

    @model_validator(mode="after")
    def _one_moment(self) -> "Cue":
        if (self.at_step is None) == (self.on_tool is None):
            raise ValueError("a cue needs one of at_step and on_tool")
        return self


class Script(BaseModel):
    """What happens, and what the user answers to clarifying questions, in order; then NO_ANSWER."""

    model_config = ConfigDict(frozen=True)

    cues: tuple[Cue, ...] = ()
    answers: tuple[str, ...] = ()
