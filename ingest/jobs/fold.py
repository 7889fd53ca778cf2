"""What the `jobs` topic says of each job: one pure fold for workers, `specs publish` and the marts.

The order of the log decides. Time is the running maximum of append time over the topic, so that every reader, now or in
a replay, sees the same leases run out at the same event. Left out: quotas and priorities.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from models.events import AnyEvent
from models.events.job import (
    JobClaimed,
    JobCompleted,
    JobFailed,
    JobHeartbeat,
    JobKind,
    JobQueued,
    JobYielded,
    Phase,
)

Status = Literal["queued", "claimed", "completed", "failed"]


class Resumed(NamedTuple):
    """What a claim continues: the state that `epoch` saved after `step`, by its digest."""

    epoch: int
    step: int
    sha256: str


class Admitted(NamedTuple):
    """An epoch whose results count, up to and with `up_to_step`; None: all of them."""

    epoch: int
    up_to_step: int | None


class JobState(NamedTuple):
    """A job after some prefix of the log. Times are the log's."""

    job_id: str
    kind: JobKind
    spec_id: str
    checkpoint_id: str | None
    look: int
    status: Status
    """`queued` also after giving way, and after a failure that leaves attempts; `failed` and `completed` are final."""
    epoch: int
    """0 until the first claim."""
    yielded: int
    """How many of the epochs gave way, which is no attempt."""
    owner: str | None
    attempts_left: int
    lease_s: float
    lease_until: datetime | None
    step: int | None
    phase: Phase | None
    queued_at: datetime
    updated_at: datetime
    resumes: Resumed | None
    admitted: tuple[Admitted, ...]
    """The current epoch, then those that it inherited from, newest first."""
    reason: str | None
    """Why the last attempt failed, or gave way."""
    artifact_sha256: str | None

    def held_by(self, owner: str, epoch: int) -> bool:
        """Whether this attempt is the one that counts."""
        return self.status == "claimed" and self.owner == owner and self.epoch == epoch

    def lease_ran_out(self, now: datetime) -> bool:
        """Whether it is claimed by somebody who has not been heard of for longer than the lease."""
        return self.status == "claimed" and self.lease_until is not None and now > self.lease_until

    def claimable(self, now: datetime) -> bool:
        """Whether a claim that is appended at `now` wins."""
        return self.attempts_left > 0 and (self.status == "queued" or self.lease_ran_out(now))

    def lost(self, now: datetime) -> bool:
        """Whether its last attempt is dead, so that anybody may call it failed."""
        return self.attempts_left == 0 and self.lease_ran_out(now)


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Jobs:
    """The fold, event by event. An event that doesn't count only moves time."""

    def __init__(self) -> None:
        self.now = BEGINNING
        """The running maximum of append time."""
        self.states: dict[str, JobState] = {}
        """By job id, in the order in which they were queued."""
        self._admitted: dict[str, dict[int, tuple[Admitted, ...]]] = {}
        self._heartbeats: dict[str, set[tuple[str, str]]] = {}

    def apply(self, event: AnyEvent, appended_at: datetime) -> None:
        """Fold one event. Events of other topics are passed over."""
        if not isinstance(event, JobQueued | JobClaimed | JobHeartbeat | JobYielded | JobCompleted | JobFailed):
            return
        self.now = max(self.now, appended_at)
        state = self.states.get(event.job_id)
        if isinstance(event, JobQueued):
            if state is None:
                self.states[event.job_id] = _queued(event, self.now)
            return
        if state is None:
            return
        match event:
            case JobClaimed():
                changed = self._claim(state, event)
            case JobHeartbeat():
                changed = self._heartbeat(state, event)
            case JobYielded():
                changed = _yield(state, event)
            case JobCompleted():
                changed = _complete(state, event)
            case JobFailed():
                changed = _fail(state, event, self.now)
        if changed is not None:
            self.states[event.job_id] = changed._replace(updated_at=self.now)

    def _claim(self, state: JobState, claim: JobClaimed) -> JobState | None:
        if claim.epoch != state.epoch + 1 or not state.claimable(self.now):
            return None
        resumes = None
        admitted = (Admitted(claim.epoch, None),)
        inherited = self._admitted.setdefault(state.job_id, {})
        if (
            claim.resumes_epoch in inherited  # else it names an epoch that never was, and starts afresh
            and claim.resumes_step is not None
            and claim.resumes_sha256 is not None
        ):
            resumes = Resumed(claim.resumes_epoch, claim.resumes_step, claim.resumes_sha256)
            admitted += tuple(_up_to(each, resumes.step) for each in inherited[resumes.epoch])
        inherited[claim.epoch] = admitted
        self._heartbeats[state.job_id] = set()
        return state._replace(
            status="claimed",
            epoch=claim.epoch,
            owner=claim.owner,
            attempts_left=state.attempts_left - 1,
            lease_until=self.now + timedelta(seconds=state.lease_s),
            step=resumes.step if resumes else None,
            phase=None,
            resumes=resumes,
            admitted=admitted,
        )

    def _heartbeat(self, state: JobState, beat: JobHeartbeat) -> JobState | None:
        seen = self._heartbeats.setdefault(state.job_id, set())
        if not state.held_by(beat.owner, beat.epoch) or (beat.source, beat.id) in seen:
            return None  # a copy of an old heartbeat must not lengthen the lease
        seen.add((beat.source, beat.id))
        until = self.now + timedelta(seconds=state.lease_s)
        return state._replace(step=beat.step, phase=beat.phase, lease_until=until)


def fold(events: Iterable[tuple[AnyEvent, datetime]]) -> dict[str, JobState]:
    """The jobs after `events`: pairs of event and append time, in the order of the log."""
    jobs = Jobs()
    for event, appended_at in events:
        jobs.apply(event, appended_at)
    return jobs.states


def _queued(event: JobQueued, now: datetime) -> JobState:
    return JobState(
        job_id=event.job_id,
        kind=event.kind,
        spec_id=event.spec_id,
        checkpoint_id=event.checkpoint_id,
        look=event.look,
        status="queued",
        epoch=0,
        yielded=0,
        owner=None,
        attempts_left=event.attempts,
        lease_s=event.lease_s,
        lease_until=None,
        step=None,
        phase=None,
        queued_at=now,
        updated_at=now,
        resumes=None,
        admitted=(),
        reason=None,
        artifact_sha256=None,
    )


def _yield(state: JobState, event: JobYielded) -> JobState | None:
    if not state.held_by(event.owner, event.epoch):
        return None
    return state._replace(
        status="queued",
        yielded=state.yielded + 1,
        attempts_left=state.attempts_left + 1,
        lease_until=None,
        reason=event.reason,
    )


def _complete(state: JobState, event: JobCompleted) -> JobState | None:
    if not state.held_by(event.owner, event.epoch):
        return None
    return state._replace(status="completed", lease_until=None, reason=None, artifact_sha256=event.artifact_sha256)


def _fail(state: JobState, event: JobFailed, now: datetime) -> JobState | None:
    if state.epoch != event.epoch:
        return None
    if state.held_by(event.owner, event.epoch):
        again = event.retryable and state.attempts_left > 0
        return state._replace(status="queued" if again else "failed", lease_until=None, reason=event.reason)
    if state.lost(now):  # nobody is left to say so but another worker
        return state._replace(status="failed", lease_until=None, reason=event.reason)
    return None


def _up_to(admitted: Admitted, step: int) -> Admitted:
    return Admitted(admitted.epoch, step if admitted.up_to_step is None else min(step, admitted.up_to_step))
