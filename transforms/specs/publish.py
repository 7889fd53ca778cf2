"""Issue what is not yet issued, and queue every live spec with every checkpoint that it concerns.

The log decides what is issued: publishing twice, or from two processes, appends the same events, which count once.
"""

import logging
from typing import NamedTuple

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.queue import job_queued
from ingest.log import EventLog, publish
from models.errors import HeldOutData
from models.events import AnyEvent
from models.events.checkpoint import CheckpointRegistered
from models.events.job import JobKind, JobQueued
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, TrainingSpecIssued
from models.ids import event_id
from models.protocols import HeldOutGuard
from models.specs import EvalSpec, JudgingSpec, Spec, TrainingSpec
from transforms.specs.candidates import More, none, wishes
from transforms.specs.revision import latest, next_revision
from transforms.specs.sets import is_kept, keep, texts_of
from transforms.specs.tasks import is_of_tasks

SOURCE = "flywheel/specs"
SERVED = "served"
"""The method of a checkpoint that a product runs."""
PRIVATE = "bench:"
"""How the keys of private benchmarks begin. They are run when somebody asks, since each run wears them."""
BEHAVIOUR = "behaviour"
"""The scorer of evals whose samples are worlds to act in (`evals/behaviours`)."""

DEAR = 100
"""Times what a completion takes: about as many calls an episode has."""

logger = logging.getLogger(__name__)


class Published(NamedTuple):
    """How many specs were issued and how many jobs queued by one call."""

    issued: int
    queued: int


def publish_specs(
    home: Home,
    log: EventLog,
    baselines: tuple[CheckpointRegistered, ...],
    *,
    lease_s: float = 90.0,
    guard: HeldOutGuard | None = None,
    more: More = none,
) -> Published:
    """Append what the published build asks for. `baselines` are checkpoints that exist without a job.

    A build that does not know of every issued spec issues nothing: it could give evidence to a side that another spec
    has just used. A frozen set that is missing from the home is written again if the marts still hold what was in it.
    `more` makes specs beside those of the marts.
    `lease_s` travels with the jobs that this call queues: seconds without a heartbeat after which one is free again.
    Raises HeldOutData, once everything else is issued and queued, for training sets that `guard` refuses.
    """
    with home.lock("specs"):
        board = Board(log)
        board.refresh()
        live = latest(board.specs.values())
        with_result = {job.spec_id for job in board.jobs.values() if job.status == "completed"}
        new: list[AnyEvent] = [baseline for baseline in baselines if baseline.checkpoint_id not in board.checkpoints]
        issued = 0
        asked, known = wishes(home, more)
        unknown = len(board.specs.keys() - known)
        held_back = 0
        refused: list[HeldOutData] = []
        for spec, content in asked:
            last = live.get(spec.key)
            retired = last is not None and last.spec_id in board.retired
            if last is not None and not retired and last.spec.data == spec.data and not is_kept(home, spec.data):
                keep(home, spec.data, content)
            done = last is not None and last.spec_id in with_result
            revision = 1 if last is None else next_revision(spec, last, has_result=done, retired=retired)
            if revision is not None and unknown:
                held_back += 1
            elif revision is not None:
                try:
                    if guard is not None and isinstance(spec, TrainingSpec):
                        guard(spec.key, texts_of(content))
                except HeldOutData as error:
                    refused.append(error)
                    continue
                keep(home, spec.data, content)
                new.append(issue(spec, revision))
                issued += 1
        if held_back:
            logger.warning(
                "%d specs wait: the published build does not know of %d that were issued. Run flywheel sink --once && "
                "flywheel build, then this again.",
                held_back,
                unknown,
            )
        publish(log, new)
        board.refresh()
        queued = [event for event in wanted(board, lease_s) if event.job_id not in board.jobs]
        queued.sort(key=lambda event: _cost(board, event))
        publish(log, queued)
        if refused:
            raise HeldOutData("\n".join(map(str, refused)))
        return Published(issued, len(queued))


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


def can_act(checkpoint: CheckpointRegistered) -> bool:
    """Whether it can be asked now: of a policy that a product serves only what it answered there is known."""
    return checkpoint.method != SERVED


def _cost(board: Board, job: JobQueued) -> int:
    """What a job will take, roughly: cheap evals of a new checkpoint come first, and training keeps its place."""
    spec = board.specs[job.spec_id].spec
    if not isinstance(spec, EvalSpec):
        return 0
    return spec.data.rows * spec.trials * (DEAR if spec.scorer.name == BEHAVIOUR or is_of_tasks(spec) else 1)


def wanted(board: Board, lease_s: float) -> list[JobQueued]:
    """Every job that the live specs ask for, whether it is on the log or not."""
    jobs: list[JobQueued] = []
    for event in latest(board.specs.values()).values():
        if event.spec_id in board.retired or event.spec_key.startswith(PRIVATE):
            continue
        spec = event.spec
        if isinstance(spec, TrainingSpec) and is_of_tasks(spec):
            continue  # no method of training takes tasks yet
        if isinstance(spec, TrainingSpec):
            jobs.append(job_queued("train", event.spec_id, lease_s=lease_s))
        elif isinstance(spec, JudgingSpec):
            if spec.checkpoint_id in board.withdrawn:
                continue
            jobs.append(job_queued("judge", event.spec_id, spec.checkpoint_id, lease_s=lease_s))
        else:
            concerned = [
                each
                for each in board.checkpoints.values()
                if each.role == spec.role
                and (spec.confirms is None or each.checkpoint_id in spec.confirms.both)
                and (spec.scorer.name != BEHAVIOUR or can_act(each))
            ]
            kind: JobKind = "attempt" if is_of_tasks(spec) else "eval"
            jobs += [job_queued(kind, event.spec_id, each.checkpoint_id, lease_s=lease_s) for each in concerned]
    return jobs
