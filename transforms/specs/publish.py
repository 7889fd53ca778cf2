"""Issue what is not yet issued, and queue every live spec with every checkpoint that it concerns.

The log decides what is issued: publishing twice, or from two processes, appends the same events, which count once.
"""

from typing import NamedTuple

from ingest.home import Home
from ingest.jobs.queue import Board, queue
from ingest.log import EventLog, publish
from models.events import AnyEvent
from models.events.checkpoint import CheckpointRegistered
from models.events.job import JobKind
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, TrainingSpecIssued
from models.ids import event_id
from models.specs import EvalSpec, JudgingSpec, Spec, TrainingSpec
from transforms.specs.candidates import candidates
from transforms.specs.revision import next_revision
from transforms.specs.sets import keep

SOURCE = "flywheel/specs"


class Published(NamedTuple):
    """How many specs were issued and how many jobs queued by one call."""

    issued: int
    queued: int


def publish_specs(home: Home, log: EventLog, baselines: tuple[CheckpointRegistered, ...]) -> Published:
    """Append what the published build asks for. `baselines` are checkpoints that exist without a job."""
    with home.lock("specs"):
        board = Board(log)
        board.refresh()
        new: list[AnyEvent] = [baseline for baseline in baselines if baseline.checkpoint_id not in board.checkpoints]
        issued = 0
        for spec, content in candidates(home):
            last = board.latest_of(spec.key)
            has_result = last is not None and board.has_result(last.spec_id)
            revision = next_revision(spec, last.spec if last else None, last.revision if last else 0, has_result=has_result)
            if revision is not None:
                keep(home, spec.data, content)
                new.append(issue(spec, revision))
                issued += 1
        publish(log, new)
        board.refresh()
        return Published(issued, queue(log, board, wanted(board)))


def issue(spec: Spec, revision: int) -> EvalSpecIssued | TrainingSpecIssued | JudgingSpecIssued:
    """The event that issues `spec`; equal content and revision give the equal event id."""
    spec_id = spec.spec_id()
    identity = event_id("spec", spec_id, revision)
    if isinstance(spec, EvalSpec):
        return EvalSpecIssued(
            id=identity, source=SOURCE, spec_id=spec_id, spec_key=spec.key, revision=revision, spec=spec
        )
    if isinstance(spec, TrainingSpec):
        return TrainingSpecIssued(
            id=identity, source=SOURCE, spec_id=spec_id, spec_key=spec.key, revision=revision, spec=spec
        )
    if isinstance(spec, JudgingSpec):
        return JudgingSpecIssued(
            id=identity, source=SOURCE, spec_id=spec_id, spec_key=spec.key, revision=revision, spec=spec
        )
    raise TypeError(f"{type(spec).__name__} has no event that issues it")


def wanted(board: Board) -> list[tuple[JobKind, str, str | None]]:
    """(kind, spec, checkpoint) of every job that the live specs ask for."""
    jobs: list[tuple[JobKind, str, str | None]] = []
    for issued in board.latest():
        spec = issued.spec
        if isinstance(spec, TrainingSpec):
            jobs.append(("train", issued.spec_id, None))
        elif isinstance(spec, JudgingSpec):
            jobs.append(("judge", issued.spec_id, spec.checkpoint_id))
        else:
            jobs += [
                ("eval", issued.spec_id, checkpoint.checkpoint_id)
                for checkpoint in board.counting_checkpoints()
                if checkpoint.role == spec.role
            ]
    return jobs
