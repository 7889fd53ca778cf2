"""Specs on the log: once issued, a spec never changes; a new revision is another event."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name
from models.specs import EvalSpec, JudgingSpec, TrainingSpec


class EvalSpecIssued(Event):
    """An eval was asked for."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["spec.eval_issued.v1"] = "spec.eval_issued.v1"
    spec_id: Name
    spec_key: Name
    """(mode, kind): the same for every revision."""
    revision: int
    spec: EvalSpec


class TrainingSpecIssued(Event):
    """A training run was asked for."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["spec.training_issued.v1"] = "spec.training_issued.v1"
    spec_id: Name
    spec_key: Name
    revision: int
    spec: TrainingSpec


class JudgingSpecIssued(Event):
    """A judge was asked to score feedback that has no vote."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["spec.judging_issued.v1"] = "spec.judging_issued.v1"
    spec_id: Name
    spec_key: Name
    revision: int
    spec: JudgingSpec


class SpecRetired(Event):
    """A spec no longer stands: what it was made of is gone. It is queued no more, and its key waits for a revision."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["spec.retired.v1"] = "spec.retired.v1"
    spec_id: Name
    reason: Name
