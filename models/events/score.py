"""A score on any named metric, by a person, a model or a program."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Author, EventKey, Name, Target


class ScoreGiven(Event):
    """An author scored a target on a metric. 0, false, empty and null are four different answers."""

    topic: ClassVar[str] = "feedback"
    key_field: ClassVar[str] = "target"

    type: Literal["feedback.score_given.v1"] = "feedback.score_given.v1"
    target: Target
    author: Author
    metric: Name
    data_type: Literal["numeric", "boolean", "categorical", "correction"]
    value: float | None = None
    """Numeric, or boolean as 1 and 0."""
    label: str | None = None
    """Categorical, or the text of a correction."""
    status: Literal["scored", "skipped", "errored"] = "scored"
    """Skipped and errored have no value and are no zero: every denominator is kept."""
    scale_min: float | None = None
    scale_max: float | None = None
    """Both ends of the scale, where there is one: without them a number can't be called low."""
    better: Literal["higher", "lower"] = "higher"
    judge_version: Name | None = None
    """Of the model or program that scored, where it says: what it says may differ by version."""
    sequence: int | None = None
    native_id: EventKey | None = None
    """The id in the tool it comes from; of our own judges the event key of what was judged."""
    job_id: Name | None = None
    """The job that scored, for our own judges; None for everybody else."""
    epoch: int | None = None
