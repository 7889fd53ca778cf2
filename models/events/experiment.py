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
