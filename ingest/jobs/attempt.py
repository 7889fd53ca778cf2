"""One claim of a job while it runs: it tells the log that it lives, and the run whether it still may write."""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Literal, NamedTuple

from ingest.durable import make_folder, writing
from ingest.home import Home
from ingest.jobs.board import Board, SpecIssued
from ingest.jobs.fold import JobState
from ingest.jobs.saved_state import SavedState, save_state
from ingest.log import publish
from models.errors import TerminalError, TransientError
from models.events import AnyEvent
from models.events.job import JobHeartbeat, Phase
from models.ids import event_id


class LeaseLost(TransientError):
    """Another worker has the job now: whatever this one writes counts for nothing, so it stops."""


class Stopped(TransientError):
    """This worker was asked to end: the job goes back to the queue, and no attempt is used up."""


class News(NamedTuple):
    """What became of a job, for whoever watches the worker."""

    job: JobState
    what: Literal["claimed", "going", "yielded", "completed", "failed", "lost"]
    step: int = 0
    phase: Phase | None = None
    detail: str = ""
    total: int | None = None
    """Steps until it is done, where that is known."""
    usd: float | None = None
    """What it has cost so far, where somebody counts."""


Tell = Callable[[News], None]


class Attempt:
    """What a run is given. All events that it writes get their ids and source from here."""

    def __init__(
        self,
        board: Board,
        home: Home,
        job: JobState,
        state: SavedState | None,
        *,
        heartbeat_s: float,
        stopping: Event,
        tell: Tell,
    ) -> None:
        assert job.owner is not None, "an attempt begins with a claim"
        self.home = home
        self.job = job
        self.epoch = job.epoch
        self.owner = job.owner
        self.source = f"flywheel/worker/{job.kind}"
        self.state = state
        """What the claim says it resumes: saved by an earlier epoch, read and checked before the claim."""
        self._board = board
        self._heartbeat_s = min(heartbeat_s, job.lease_s / 4)
        self._stopping = stopping
        self._tell = tell
        self._step = state.step if state else 0
        self._phase: Phase = "load"
        self._confirmed = time.monotonic()
        self._lost = Event()

    @property
    def issued(self) -> SpecIssued:
        """The spec as it was issued. Raises TerminalError where the log has no such spec, or it was retired."""
        issued = self._board.specs.get(self.job.spec_id)
        if issued is None:
            raise TerminalError(f"Job {self.job.job_id} asks for the spec {self.job.spec_id}, which is not on the log.")
        if self.job.spec_id in self._board.retired:
            raise TerminalError(
                f"Job {self.job.job_id} asks for the spec {self.job.spec_id}, which was retired, since a part of its "
                "data was erased: flywheel specs publish issues the next revision."
            )
        return issued

    def judge_version(self, checkpoint_id: str) -> str | None:
        """The version of a registered judge, as its judgements name it. Raises TerminalError for one withdrawn."""
        self._board.refresh(["checkpoints"])
        if checkpoint_id in self._board.withdrawn:
            raise TerminalError(f"judge {checkpoint_id} was withdrawn: {self._board.withdrawn[checkpoint_id]}")
        registered = self._board.checkpoints.get(checkpoint_id)
        return registered.version if registered else None

    @property
    def artifacts(self) -> Path:
        """The folder of this epoch, there to write to."""
        folder = self.home.artifacts(self.job.job_id, self.epoch)
        with writing(folder):
            make_folder(folder)
        return folder

    @property
    def previous(self) -> Path | None:
        """The folder of the epoch that this one resumes."""
        resumes = self.job.resumes
        return self.home.artifacts(self.job.job_id, resumes.epoch) if resumes else None

    def event_id(self, *parts: str | int | float | bool | None) -> str:
        """The id of an event of this attempt: the same for the same job, epoch and parts."""
        return event_id(self.job.job_id, self.epoch, *parts)

    def beat(self, step: int, phase: Phase, *, total: int | None = None, usd: float | None = None) -> None:
        """Say how far it is; cheap, call it often. Raises LeaseLost or Stopped where the run must end."""
        self._still_mine(step, phase)
        if self._stopping.is_set():
            raise Stopped("the worker was stopped")
        self._tell(News(self.job, "going", step, phase, total=total, usd=usd))

    def _still_mine(self, step: int, phase: Phase) -> None:
        self._step, self._phase = step, phase
        if self._lost.is_set() or time.monotonic() - self._confirmed > self.job.lease_s:
            self.confirm()

    def emit(self, events: Iterable[AnyEvent]) -> None:
        """Append `events`, if the lease still holds; else raises LeaseLost and writes nothing."""
        self.confirm()
        publish(self._board.log, events)

    def save(self, step: int, content: bytes) -> None:
        """Keep the state after `step`, so that the next epoch goes on from it. What led to it is emitted, or in it.

        Raises LeaseLost where it isn't kept, and Stopped where it is, and the run must end.
        """
        self._still_mine(step, "save")
        save_state(self.artifacts, step, content)
        self.beat(step, "save")

    def confirm(self) -> None:
        """Read the log to its end; raises LeaseLost if another worker has claimed the job since."""
        began = time.monotonic()
        self._board.refresh(["jobs"])
        if self._lost.is_set() or not self._board.job(self.job.job_id).held_by(self.owner, self.epoch):
            self._lost.set()
            raise LeaseLost(f"job {self.job.job_id}: epoch {self.epoch} of {self.owner} no longer counts")
        self._confirmed = began

    @contextmanager
    def alive(self) -> Generator[None]:
        """Heartbeats, from a thread of their own, until the block ends."""
        done = Event()
        thread = Thread(target=self._heartbeats, args=(done,), name=f"heartbeat {self.job.job_id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _heartbeats(self, done: Event) -> None:
        number = 0
        while not done.wait(self._heartbeat_s):
            number += 1
            try:
                self.confirm()
                publish(self._board.log, [self._heartbeat(number)])
            except LeaseLost:
                return
            except TransientError:
                continue  # the log is out of reach; if that lasts, the lease runs out and confirm() says so

    def _heartbeat(self, number: int) -> JobHeartbeat:
        return JobHeartbeat(
            id=self.event_id("heartbeat", self.owner, number),
            source=self.source,
            job_id=self.job.job_id,
            epoch=self.epoch,
            owner=self.owner,
            step=self._step,
            phase=self._phase,
        )
