"""The events: one tagged union and one door in each direction.

Adding an event type: a class in a file of its family, a line in the union, and a staging model that reads it. Its
typed columns in the lake follow from its fields.
"""

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter

from models.events import cloudevents
from models.events.benchmark import BenchmarkFrozen, BenchmarkUsed
from models.events.checkpoint import CheckpointPromoted, CheckpointRefused, CheckpointRegistered, JudgeWithdrawn
from models.events.cloudevents import HEADERS, Headers, dump
from models.events.comment import CommentLeft
from models.events.experiment import ExperimentStarted, ExperimentStopped, ExposureLogged, MetricObserved
from models.events.imports import FileImported, RowRefused
from models.events.job import JobClaimed, JobCompleted, JobFailed, JobHeartbeat, JobQueued, JobYielded
from models.events.preference import PreferenceGiven
from models.events.privacy import ErasureCompleted, ErasureRequested
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.result import EvalCompleted, EvalReported, EvalSampleScored, TrainingCompleted, TrainingStepLogged
from models.events.rollout import RolloutRecorded
from models.events.score import ScoreGiven
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, SpecRetired, TrainingSpecIssued
from models.events.task import TaskCertified, TaskGraded, TaskWithdrawn
from models.events.taxonomy import (
    AlertRaised,
    DiscoveryCompleted,
    DiscoveryStarted,
    LabelWithdrawn,
    MergeProposed,
    ModeAccepted,
    ModeDefined,
    ModeMerged,
    ModeProposed,
    ModeRejected,
    ModeRenamed,
    ModeRetired,
    ModeSplit,
    ProposalRejected,
    SplitProposed,
    TextLabelled,
)
from models.events.thumb import ThumbGiven

_Union = (
    ResponseServed
    | RolloutRecorded
    | ThumbGiven
    | CommentLeft
    | ScoreGiven
    | PreferenceGiven
    | ReportFiled
    | DiscoveryStarted
    | ModeProposed
    | DiscoveryCompleted
    | ModeAccepted
    | ModeRejected
    | ModeDefined
    | ModeRenamed
    | ModeMerged
    | ModeSplit
    | ModeRetired
    | MergeProposed
    | SplitProposed
    | ProposalRejected
    | TextLabelled
    | LabelWithdrawn
    | AlertRaised
    | ExperimentStarted
    | ExposureLogged
    | MetricObserved
    | ExperimentStopped
    | CheckpointRegistered
    | CheckpointPromoted
    | CheckpointRefused
    | JudgeWithdrawn
    | EvalSpecIssued
    | TrainingSpecIssued
    | JudgingSpecIssued
    | SpecRetired
    | BenchmarkFrozen
    | BenchmarkUsed
    | TaskCertified
    | TaskWithdrawn
    | TaskGraded
    | JobQueued
    | JobClaimed
    | JobHeartbeat
    | JobYielded
    | JobCompleted
    | JobFailed
    | EvalSampleScored
    | EvalCompleted
    | EvalReported
    | TrainingStepLogged
    | TrainingCompleted
    | FileImported
    | RowRefused
    | ErasureRequested
    | ErasureCompleted
)

AnyEvent = Annotated[_Union, Field(discriminator="type")]

EVENT_TYPES: tuple[type[_Union], ...] = get_args(_Union)
"""Every event class, in the order of the union."""


def type_name(event_type: type[_Union]) -> str:
    """The value of the class's `type` tag: `feedback.thumb_given.v2`."""
    return str(event_type.model_fields["type"].default)


_ADAPTER: TypeAdapter[_Union] = TypeAdapter(AnyEvent)


def parse(value: bytes, headers: Headers = ()) -> _Union:
    """The event in a log record, upcast to its newest version. Raises BadEvent with a one-line reason."""
    return cloudevents.parse(value, headers, _ADAPTER)


__all__ = ["EVENT_TYPES", "HEADERS", "AnyEvent", "dump", "parse", "type_name"]
