"""Asking a frozen benchmark: each answer tells as little as it can, and is written down before it is given.

A look is told a number, rounded, with an interval that holds whatever was asked before. A decision is told one bit: is
the checkpoint better than another, by more than chance after all that was asked. What lies on the log says more; who
reads it there has looked without being counted.
"""

import io
from collections import defaultdict
from typing import NamedTuple

import polars as pl

from evals.benchmark.versions import SOURCE, Version, answer_id, content_of, use_id
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.jobs.queue import job_queued
from ingest.log import EventLog, publish, replay
from models.errors import BadEvent, TerminalError
from models.events import parse
from models.events.benchmark import BenchmarkUsed
from models.events.job import JobKind
from models.events.result import EvalSampleScored
from models.specs import EvalSpec
from stats.agreement import better_p
from stats.wear import interval, level, spent, told
from stats.wilson import Interval
from transforms.specs.tasks import is_of_tasks

ALPHA = 0.05


class Asked(NamedTuple):
    """A use that has begun."""

    job_id: str
    against_job_id: str | None
    """Of a decision: the job of the checkpoint that it is compared with."""
    is_of_tasks: bool


class Told(NamedTuple):
    """What a look is told."""

    value: float
    interval: Interval
    scored: int
    missing: int


def begin(home: Home, log: EventLog, version: Version, checkpoint_id: str, against: str | None) -> Asked:
    """Queue what the use needs, and write down that the benchmark is used. `against`: a decision, else a look.

    A use whose answer was not told yet goes on. Raises TerminalError for a version that was changed since it was
    frozen, and for a checkpoint that there is not.
    """
    content_of(home, version)
    board = Board(log)
    board.refresh()
    issued = board.specs.get(str(version.frozen.spec_id))
    if issued is None or not isinstance(issued.spec, EvalSpec):
        raise TerminalError(f"the spec {version.frozen.spec_id} of {version.name} is not on this log")
    known = sorted(each.checkpoint_id for each in board.checkpoints.values() if each.role == issued.spec.role)
    for each in (checkpoint_id, *([against] if against else [])):
        if each not in known:
            raise TerminalError(f"no {issued.spec.role} checkpoint {each!r}; known: {', '.join(known) or 'none'}")
    if against == checkpoint_id:
        raise TerminalError(f"{checkpoint_id} can't be better than itself: --against another checkpoint")
    jobs = [job for job in board.jobs.values() if job.spec_id == issued.spec_id]
    of_tasks = is_of_tasks(issued.spec)
    purpose = "decision" if against else "look"
    kind: JobKind = "attempt" if of_tasks else "eval"
    job_id = _unanswered(version, jobs, checkpoint_id, purpose)
    job_id = job_id or _queue(log, jobs, issued.spec_id, checkpoint_id, kind)
    other = None
    if against:
        done = [job.job_id for job in jobs if job.checkpoint_id == against and job.status != "failed"]
        other = done[-1] if done else _queue(log, jobs, issued.spec_id, against, kind)
    publish(log, [used(version, checkpoint_id, job_id, decision=against is not None)])
    return Asked(job_id, other, of_tasks)


def used(
    version: Version,
    checkpoint_id: str,
    job_id: str,
    *,
    decision: bool,
    better: bool | None = None,
    answered: bool = False,
) -> BenchmarkUsed:
    """The event of a use, or the one that says that it was `answered`, and how."""
    return BenchmarkUsed(
        id=answer_id(job_id) if answered else use_id(job_id), source=SOURCE, benchmark=version.frozen.benchmark,
        version=version.frozen.version, checkpoint_id=checkpoint_id, purpose="decision" if decision else "look",
        better=better, job_id=job_id,
    )  # fmt: skip


def look(log: EventLog, version: Version, asked: Asked, checkpoint_id: str) -> Told:
    """The number, rounded, and its interval after all that was asked before this use.

    Raises TerminalError where no sample could be scored.
    """
    scores, missing = _scores(log, asked.job_id)
    if not scores:
        raise TerminalError(f"{version.name}: none of {missing} samples could be scored: flywheel evals report")
    nats = spent(version.asked_before(asked.job_id))
    mean = sum(sum(each) / len(each) for each in scores.values()) / len(scores)
    n = max(1.0, version.effective * len(scores) / version.frozen.samples)
    partial = n < len(scores) or any(score not in (0.0, 1.0) for each in scores.values() for score in each)
    publish(log, [used(version, checkpoint_id, asked.job_id, decision=False, answered=True)])
    return Told(told(mean), interval(mean * n, n, nats, ALPHA, partial=partial), len(scores), missing)


def decide(home: Home, log: EventLog, version: Version, asked: Asked, checkpoint_id: str) -> bool:
    """Whether the checkpoint is better than the other on more clusters than chance explains, written down.

    One-sided at half of ALPHA, less what was spent: a sign test over clusters, since a cluster counts once.
    """
    ours, _ = _scores(log, asked.job_id)
    theirs, _ = _scores(log, str(asked.against_job_id))
    clusters = _clusters(home, version)
    sums: dict[str, float] = defaultdict(float)
    for sample in ours.keys() & theirs.keys():
        sums[clusters[sample]] += sum(ours[sample]) / len(ours[sample]) - sum(theirs[sample]) / len(theirs[sample])
    wins, losses = sum(each > 1e-12 for each in sums.values()), sum(each < -1e-12 for each in sums.values())
    nats = spent(version.asked_before(asked.job_id))
    better = better_p(wins, losses) <= level(ALPHA / 2, nats)
    publish(log, [used(version, checkpoint_id, asked.job_id, decision=True, better=better, answered=True)])
    return better


def is_done(log: EventLog, asked: Asked) -> bool:
    """Whether every job of the use has completed. Raises TerminalError for one that has failed, saying why."""
    board = Board(log)
    board.refresh()
    jobs = [board.job(job_id) for job_id in (asked.job_id, asked.against_job_id) if job_id]
    for job in jobs:
        if job.status == "failed":
            raise TerminalError(f"{job.kind} {job.job_id} of {job.checkpoint_id} failed: {job.reason}")
    return all(job.status == "completed" for job in jobs)


def _unanswered(version: Version, jobs: list[JobState], checkpoint_id: str, purpose: str) -> str | None:
    """The job of a use that was written down and has no answer yet."""
    for use in version.uses:
        for job in jobs:
            is_its = use.job_id == job.job_id and (use.checkpoint_id, use.purpose) == (checkpoint_id, purpose)
            if is_its and job.status != "failed" and job.job_id not in version.answered:
                return job.job_id
    return None


def _queue(log: EventLog, jobs: list[JobState], spec_id: str, checkpoint_id: str, kind: JobKind) -> str:
    looks = [job.look for job in jobs if job.checkpoint_id == checkpoint_id]
    queued = job_queued(kind, spec_id, checkpoint_id, max(looks, default=0) + 1)
    publish(log, [queued])
    return queued.job_id


def _scores(log: EventLog, job_id: str) -> tuple[dict[str, list[float]], int]:
    """The scores of each sample in the epoch that completed, one an attempt; and how many attempts have none."""
    board = Board(log)
    board.refresh(["jobs"])
    epoch = board.job(job_id).epoch
    found: dict[tuple[str, int], EvalSampleScored] = {}
    for record in replay(log, "results"):
        try:
            event = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, EvalSampleScored) and event.job_id == job_id and event.epoch <= epoch:
            before = found.get((event.sample_id, event.trial))
            if before is None or event.epoch > before.epoch:
                found[event.sample_id, event.trial] = event
    scores: dict[str, list[float]] = defaultdict(list)
    for event in found.values():
        if event.score is not None:
            scores[event.sample_id].append(event.score)
    return dict(scores), sum(event.score is None for event in found.values())


def _clusters(home: Home, version: Version) -> dict[str, str]:
    """Each sample's cluster: what it shares its luck through, or itself."""
    samples = pl.read_parquet(io.BytesIO(content_of(home, version)), columns=["sample_id", "conversation_id"])
    return {str(sample): str(group or sample) for sample, group in samples.iter_rows()}
