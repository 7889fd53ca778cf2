"""A rollout: what an agent did, step by step. What a product served of it is a `ResponseServed` of its own."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from models.events.base import Event
from models.feedback import Name


class ToolCall(BaseModel):
    """A call that a step made. The answer is a later step with the same `call_id`, where the tool has ids."""

    model_config = ConfigDict(frozen=True)

    tool: Name
    arguments: str = ""
    """As the model wrote them: JSON as a rule, broken JSON at times."""
    call_id: Name | None = None


class Step(BaseModel):
    """One message of a rollout. Its number is its place in `RolloutRecorded.steps`, from 0."""

    model_config = ConfigDict(frozen=True)

    role: Literal["system", "user", "assistant", "tool"]
    text: str | None = None
    """None where there was none, or the writer does not know it."""
    calls: tuple[ToolCall, ...] = ()
    tool: Name | None = None
    """Which tool answers, where the role is `tool`."""
    call_id: Name | None = None
    is_error: bool | None = None
    """Whether the tool says that it failed; None where it doesn't say."""
    seconds: float | None = None
    """From the step before to this one."""


class RolloutRecorded(Event):
    """An agent's rollout ended and was recorded, whole."""

    topic: ClassVar[str] = "responses"
    key_field: ClassVar[str] = "rollout_id"

    type: Literal["response.rollout_recorded.v1"] = "response.rollout_recorded.v1"
    rollout_id: Name
    steps: tuple[Step, ...]
    response_id: Name | None = None
    """The response that a person saw of it, where one did."""
    conversation_id: Name | None = None
    person_id: Name | None = None
    task_id: Name | None = None
    trial: int | None = None
    """Which attempt at the task, from 0."""
    model: Name | None = None
    checkpoint_id: Name | None = None
    tools: tuple[Name, ...] | None = None
    """The tools that were there to be called; None where the writer doesn't say."""
    outcome: Literal["finished", "timed_out", "out_of_steps", "failed"] | None = None
    """How it ended, which is not whether it was right: that is `reward`."""
    outcome_detail: str | None = None
    """What the environment called it: `exit_cost`, `submitted`."""
    reward: float | None = None
    """The environment's own; None is not zero."""
    audience: Literal["external", "internal"] = "external"
