"""A worker: claims the oldest job of its kinds, runs it under a lease, says how it ended, and takes the next one."""

import logging
import signal
import time
from collections.abc import Callable, Container, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import NamedTuple
from uuid import uuid4

from ingest.home import Home
from ingest.jobs.attempt import Attempt, LeaseLost, News, Stopped, Tell
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState, Resumed
from ingest.jobs.saved_state import SavedState, latest_state
from ingest.log import EventLog, publish
from models.errors import FlywheelError, TransientError
from models.events.job import JobClaimed, JobCompleted, JobFailed, JobKind, JobYielded
from models.ids import event_id

Run = Callable[[Attempt], str | None]
"""Does a job. Returns the SHA-256 of what it made, if it made something."""


class Settings(NamedTuple):
    """How a worker waits, in seconds. The lease is the job's own: it travels with it."""

    heartbeat_s: float = 15.0
    """At most; a quarter of the lease where that is shorter."""
    poll_s: float = 1.0


class Served(NamedTuple):
    """What a worker did until it ended."""

    completed: int = 0
    failed: int = 0
    """Attempts, not jobs: one that is tried again counts each time."""
    lost: int = 0
    yielded: int = 0
    """Given back when the worker was told to end."""


def serve(
    log: EventLog,
    home: Home,
    runs: Mapping[JobKind, Run],
    *,
    once: bool,
    owner: str | None = None,
    only: Container[str] | None = None,
    settings: Settings | None = None,
    tell: Tell = lambda news: None,
) -> Served:
    """Work on jobs of the kinds in `runs`, if given only on the ids in `only`, until SIGTERM.

    With `once` it ends when there is nothing left to do: no job is free, and none is held by another worker, who may
    yet die and leave it. Raises TransientError with `once` where the log is out of reach; without, it keeps trying.
    """
    with _until_terminated() as stopping:
        worker = Worker(
            log,
            home,
            runs,
            owner=owner or f"worker-{uuid4()}",
            only=only,
            settings=settings or Settings(),
            stopping=stopping,
            tell=tell,
        )
        while not stopping.is_set():
            try:
                if worker.take_one():
                    continue
                if once and not worker.waits_for_others():
                    break
            except TransientError:
                if once:
                    raise
                logging.getLogger(__name__).warning("the log is out of reach; trying again", exc_info=True)
            stopping.wait(worker.settings.poll_s)
        return worker.served


class Worker:
    """The loop's parts. One thread drives it; heartbeats have their own."""

    def __init__(
        self,
        log: EventLog,
        home: Home,
        runs: Mapping[JobKind, Run],
        *,
        owner: str,
        only: Container[str] | None,
        settings: Settings,
        stopping: Event,
        tell: Tell,
    ) -> None:
        self.board = Board(log)
        self.served = Served()
        self.settings = settings
        self._log = log
        self._home = home
        self._runs = runs
        self._owner = owner
        self._only = only
        self._stopping = stopping
        self._tell = tell
        self._numbers = count()
        self._ahead_s = 0.0
        """By how much this machine's clock is ahead of the log's; seen at each own append."""

    def take_one(self) -> bool:
        """Claim and run the oldest free job. False: there was none, or another worker was faster."""
        self.board.refresh()
        now = self._now()
        for job in self._mine():
            if job.lost(now):
                self._call_failed(job)
            elif job.claimable(now):
                attempt = self._claim(job)
                if attempt is None:
                    return False
                self._run(attempt)
                return True
        return False

    def waits_for_others(self) -> bool:
        """Whether a job is in another worker's hands, as of the last look."""
        return any(
            job.status == "claimed" or (job.status == "queued" and job.attempts_left > 0) for job in self._mine()
        )

    def _mine(self) -> list[JobState]:
        return [
            job
            for job in self.board.jobs.values()
            if job.kind in self._runs and (self._only is None or job.job_id in self._only)
        ]

    def _now(self) -> datetime:
        """The log's time, as far as this machine can tell. Only a guess when to try: the log decides."""
        return datetime.fromtimestamp(time.time() - self._ahead_s, UTC)

    def _claim(self, job: JobState) -> Attempt | None:
        epoch = job.epoch + 1
        resumes, state = self._progress(job)
        claim = JobClaimed(
            id=event_id(job.job_id, epoch, "claimed", self._owner, next(self._numbers)),
            source=f"flywheel/worker/{job.kind}",
            job_id=job.job_id,
            epoch=epoch,
            owner=self._owner,
            resumes_epoch=resumes.epoch if resumes else None,
            resumes_step=resumes.step if resumes else None,
            resumes_sha256=resumes.sha256 if resumes else None,
        )
        self._append(claim)
        claimed = self.board.job(job.job_id)
        if not claimed.held_by(self._owner, epoch):
            return None
        self._tell(News(claimed, "claimed", resumes.step if resumes else 0))
        return Attempt(
            self.board,
            self._home,
            claimed,
            state if claimed.resumes else None,
            heartbeat_s=self.settings.heartbeat_s,
            stopping=self._stopping,
            tell=self._tell,
        )

    def _progress(self, job: JobState) -> tuple[Resumed | None, SavedState | None]:
        """The newest whole state that an earlier epoch of `job` left in this home."""
        for epoch in range(job.epoch, 0, -1):
            state = latest_state(self._home.artifacts(job.job_id, epoch))
            if state is not None:
                return Resumed(epoch, state.step, state.sha256), state
        return None, None

    def _run(self, attempt: Attempt) -> None:
        try:
            with attempt.alive():
                artifact = self._runs[attempt.job.kind](attempt)
                attempt.confirm()
            self._complete(attempt, artifact)
        except LeaseLost as error:
            self._lose(attempt, str(error))
        except Stopped as error:
            self._yield(attempt, str(error))
        except (TransientError, OSError, MemoryError) as error:
            self._fail(attempt, str(error) or type(error).__name__, retryable=True)
        except FlywheelError as error:
            self._fail(attempt, str(error), retryable=False)
        except Exception as error:  # a bug: said aloud, never tried again, and no reason to leave the other jobs
            logging.getLogger(__name__).exception("job %s, epoch %d", attempt.job.job_id, attempt.epoch)
            self._fail(attempt, f"{type(error).__name__}: {error}", retryable=False)
        except KeyboardInterrupt:
            self._yield(attempt, "the worker was interrupted")
            raise
        except BaseException as error:
            self._fail(attempt, f"the worker was ended by {type(error).__name__}", retryable=True)
            raise

    def _complete(self, attempt: Attempt, artifact: str | None) -> None:
        self._append(
            JobCompleted(
                id=attempt.event_id("completed"),
                source=attempt.source,
                job_id=attempt.job.job_id,
                epoch=attempt.epoch,
                owner=attempt.owner,
                artifact_sha256=artifact,
            )
        )
        job = self.board.job(attempt.job.job_id)
        if (job.status, job.epoch, job.owner) != ("completed", attempt.epoch, attempt.owner):
            raise LeaseLost(f"job {job.job_id}: the completion of epoch {attempt.epoch} came too late")
        self.served = self.served._replace(completed=self.served.completed + 1)
        self._tell(News(job, "completed", job.step or 0, job.phase))

    def _yield(self, attempt: Attempt, reason: str) -> None:
        event = JobYielded(
            id=attempt.event_id("yielded"),
            source=attempt.source,
            job_id=attempt.job.job_id,
            epoch=attempt.epoch,
            owner=attempt.owner,
            reason=reason,
        )
        try:
            self._append(event)
        except TransientError:
            self._lose(attempt, reason)  # the log is out of reach: the lease runs out, which costs the attempt
            return
        self.served = self.served._replace(yielded=self.served.yielded + 1)
        self._tell(News(self.board.job(attempt.job.job_id), "yielded", detail=reason))

    def _fail(self, attempt: Attempt, reason: str, *, retryable: bool) -> None:
        event = JobFailed(
            id=attempt.event_id("failed"),
            source=attempt.source,
            job_id=attempt.job.job_id,
            epoch=attempt.epoch,
            owner=attempt.owner,
            reason=reason,
            retryable=retryable,
        )
        try:
            self._append(event)
        except TransientError:
            self._lose(attempt, reason)  # the log is out of reach: the lease runs out and says the same
            return
        self.served = self.served._replace(failed=self.served.failed + 1)
        self._tell(News(self.board.job(attempt.job.job_id), "failed", detail=reason))

    def _lose(self, attempt: Attempt, reason: str) -> None:
        self.served = self.served._replace(lost=self.served.lost + 1)
        self._tell(News(attempt.job, "lost", detail=reason))

    def _call_failed(self, job: JobState) -> None:
        """Say in the place of a dead worker that its job has failed; the fold checks that it is so."""
        reason = f"the lease of epoch {job.epoch} ran out and no attempts are left"
        self._append(
            JobFailed(
                id=event_id(job.job_id, job.epoch, "lost", self._owner, next(self._numbers)),
                source=f"flywheel/worker/{job.kind}",
                job_id=job.job_id,
                epoch=job.epoch,
                owner=self._owner,
                reason=reason,
                retryable=False,
            )
        )
        job = self.board.job(job.job_id)
        if job.status == "failed":
            self._tell(News(job, "failed", detail=reason))

    def _append(self, event: JobClaimed | JobYielded | JobCompleted | JobFailed) -> None:
        (position,) = publish(self._log, [event])
        self.board.refresh_past(position)
        self._ahead_s = time.time() - self.board.log_time


@contextmanager
def _until_terminated() -> Generator[Event]:
    """An event that SIGTERM sets. Outside the main thread signals can't be taken, so nothing sets it."""
    stopping = Event()
    if current_thread() is not main_thread():
        yield stopping
        return

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGTERM, before)
