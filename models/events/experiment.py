"""Experiments: what was started, who saw which variant, what was measured, how it ended."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from models.events.base import Event
from models.feedback import Name


class Variant(BaseModel):
    """An arm of an experiment."""

    model_config = ConfigDict(frozen=True)

    name: Name
    weight: float = Field(gt=0)
    """Its share of the units, against the sum over all arms."""
    checkpoint_id: Name | None = None


class Plan(BaseModel):
    """What was settled before anything was seen: which effect decides, how large it has to be, and for how long."""

    model_config = ConfigDict(frozen=True)

    metric: Name
    """The effect on it decides."""
    guardrails: tuple[Name, ...] = ()
    """Metrics that must not get worse by more than their margin."""
    effect: float | None = Field(default=None, gt=0)
    """Absolute effect that is to be found, in units of the metric."""
    power: float = Field(default=0.8, gt=0, lt=1)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """Two-sided."""
    units: int | None = Field(default=None, gt=0)
    """Units in all arms together by the end."""
    days: int = Field(default=28, gt=0)
    """Days until the end; a look is taken at the end of each."""


class ExperimentStarted(Event):
    """An experiment between variants began."""

    topic: ClassVar[str] = "experiments"
    key_field: ClassVar[str] = "experiment_id"

    type: Literal["experiment.started.v1"] = "experiment.started.v1"
    experiment_id: Name
    variants: tuple[Variant, ...] = Field(min_length=2)
    """The control first."""
    unit: Literal["person", "conversation", "response"] = "person"
    """What is assigned, and so what is independent."""
    hypothesis: str | None = None
    salt: Name | None = None
    """What units are hashed with (`flywheel_client.assigned`). None: the experiment's id."""
    plan: Plan | None = None
    """None: watched, never decided."""


class ExposureLogged(Event):
    """A unit met a variant. The first one counts; a unit with two variants is a fault that marts show."""

    topic: ClassVar[str] = "experiments"
    key_field: ClassVar[str] = "experiment_id"

    type: Literal["experiment.exposure_logged.v1"] = "experiment.exposure_logged.v1"
    experiment_id: Name
    variant: Name
    person_id: Name | None = None
    anonymous_id: Name | None = None
    """What the product knew before the person signed in. One of the two ids must be there to be counted."""
    response_id: Name | None = None


class MetricObserved(Event):
    """A product measured something about a person, with or without an experiment in mind."""

    topic: ClassVar[str] = "experiments"
    key_field: ClassVar[str] = "experiment_id"

    type: Literal["experiment.metric_observed.v1"] = "experiment.metric_observed.v1"
    metric: Name
    value: float
    experiment_id: Name | None = None
    """None: of whatever experiments the person is in at the time."""
    person_id: Name | None = None
    anonymous_id: Name | None = None
    response_id: Name | None = None


class ExperimentStopped(Event):
    """An experiment ended: no exposure after it counts."""

    topic: ClassVar[str] = "experiments"
    key_field: ClassVar[str] = "experiment_id"

    type: Literal["experiment.stopped.v1"] = "experiment.stopped.v1"
    experiment_id: Name
    reason: str | None = None
