from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingest.jobs.fold import Admitted, Jobs, JobState, Resumed, fold
from ingest.jobs.queue import job_queued
from models.events import AnyEvent
from models.events.job import JobClaimed, JobCompleted, JobFailed, JobHeartbeat, JobYielded

START = datetime(2026, 5, 4, tzinfo=UTC)
LEASE_S, ATTEMPTS = 10.0, 3
DIGEST = "d" * 64
QUEUED = job_queued("eval", "eval-1", "judge-1", lease_s=LEASE_S, attempts=ATTEMPTS)
JOB = QUEUED.job_id


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def claim(epoch: int, owner: str, resumes: tuple[int, int] | None = None) -> JobClaimed:
    return JobClaimed(
        id=f"claim-{epoch}-{owner}",
        source="test",
        job_id=JOB,
        epoch=epoch,
        owner=owner,
        resumes_epoch=resumes[0] if resumes else None,
        resumes_step=resumes[1] if resumes else None,
        resumes_sha256=DIGEST if resumes else None,
    )


def beat(epoch: int, owner: str, number: int = 1) -> JobHeartbeat:
    return JobHeartbeat(
        id=f"beat-{epoch}-{owner}-{number}", source="test", job_id=JOB, epoch=epoch, owner=owner, step=7, phase="score"
    )


def done(epoch: int, owner: str) -> JobCompleted:
    return JobCompleted(id=f"done-{epoch}-{owner}", source="test", job_id=JOB, epoch=epoch, owner=owner)


def failed(epoch: int, owner: str, *, retryable: bool = True) -> JobFailed:
    return JobFailed(
        id=f"failed-{epoch}-{owner}",
        source="test",
        job_id=JOB,
        epoch=epoch,
        owner=owner,
        reason="no disk",
        retryable=retryable,
    )


def yielded(epoch: int, owner: str) -> JobYielded:
    return JobYielded(
        id=f"yielded-{epoch}-{owner}", source="test", job_id=JOB, epoch=epoch, owner=owner, reason="stopped"
    )


def after(*events: tuple[AnyEvent, float]) -> JobState:
    return fold((event, at(seconds)) for event, seconds in ((QUEUED, 0), *events))[JOB]


def test_a_queued_job_has_no_owner() -> None:
    state = after()
    assert (state.status, state.epoch, state.owner, state.attempts_left) == ("queued", 0, None, 3)
    assert (state.queued_at, state.updated_at) == (at(0), at(0))


def test_queueing_again_changes_nothing() -> None:
    assert after((claim(1, "a"), 1), (QUEUED, 2)) == after((claim(1, "a"), 1))


def test_the_first_claim_in_the_log_wins() -> None:
    state = after((claim(1, "a"), 1), (claim(1, "b"), 1), (claim(2, "b"), 2))
    assert (state.owner, state.epoch, state.attempts_left) == ("a", 1, 2)
    assert state.lease_until == at(11)


def test_heartbeats_lengthen_the_lease_of_the_owner_alone() -> None:
    state = after((claim(1, "a"), 1), (beat(1, "a"), 6), (beat(1, "b"), 9), (beat(2, "a"), 9))
    assert (state.lease_until, state.step, state.phase) == (at(16), 7, "score")


def test_a_copy_of_a_heartbeat_does_not_lengthen_the_lease() -> None:
    assert after((claim(1, "a"), 1), (beat(1, "a"), 6), (beat(1, "a"), 9)).lease_until == at(16)


def test_a_lease_that_ran_out_can_be_claimed_and_the_late_completion_is_refused() -> None:
    events: list[tuple[AnyEvent, float]] = [(claim(1, "a"), 1), (claim(2, "b"), 12)]
    assert after(*events, (done(1, "a"), 13)).status == "claimed"
    state = after(*events, (done(1, "a"), 13), (done(2, "b"), 14))
    assert (state.status, state.owner, state.epoch) == ("completed", "b", 2)


def test_a_completion_after_the_lease_counts_while_nobody_else_has_claimed() -> None:
    assert after((claim(1, "a"), 1), (done(1, "a"), 500)).status == "completed"


def test_time_never_runs_backwards() -> None:
    assert after((claim(1, "a"), 20), (beat(1, "a"), 5)).lease_until == at(30)


def test_failures_use_up_the_attempts() -> None:
    events: list[tuple[AnyEvent, float]] = []
    for epoch in (1, 2, 3):
        events += [(claim(epoch, "a"), epoch), (failed(epoch, "a"), epoch)]
        assert after(*events).status == ("failed" if epoch == ATTEMPTS else "queued")
    state = after(*events, (claim(4, "a"), 100))
    assert (state.status, state.epoch, state.reason) == ("failed", 3, "no disk")


def test_a_terminal_fault_ends_it_at_once() -> None:
    state = after((claim(1, "a"), 1), (failed(1, "a", retryable=False), 2), (claim(2, "b"), 3))
    assert (state.status, state.attempts_left, state.epoch) == ("failed", 2, 1)


def test_giving_way_uses_up_no_attempt() -> None:
    events: list[tuple[AnyEvent, float]] = []
    for epoch in range(1, 6):
        events += [(claim(epoch, "a"), epoch), (yielded(epoch, "a"), epoch), (yielded(epoch, "a"), epoch)]
        state = after(*events)
        assert (state.status, state.attempts_left, state.yielded) == ("queued", ATTEMPTS, epoch)
    assert after(*events, (claim(6, "b", (5, 40)), 7)).resumes == Resumed(5, 40, DIGEST)


def test_only_who_has_the_job_gives_it_back() -> None:
    events: list[tuple[AnyEvent, float]] = [(claim(1, "a"), 1), (claim(2, "b"), 12)]
    state = after(*events, (yielded(1, "a"), 13), (yielded(2, "a"), 14), (yielded(3, "b"), 15))
    assert (state.status, state.owner, state.attempts_left, state.yielded) == ("claimed", "b", 1, 0)
    assert after(*events, (done(2, "b"), 13), (yielded(2, "b"), 14)).status == "completed"


def test_when_the_last_attempt_died_anybody_may_say_so_but_not_before() -> None:
    events: list[tuple[AnyEvent, float]] = [(claim(epoch, "a"), 20.0 * epoch) for epoch in (1, 2, 3)]
    assert after(*events, (failed(3, "b", retryable=False), 65)).status == "claimed"
    assert after(*events, (failed(3, "b", retryable=False), 71)).status == "failed"


def test_a_claim_inherits_the_steps_that_it_resumes() -> None:
    first: list[tuple[AnyEvent, float]] = [(claim(1, "a"), 1), (claim(2, "b", (1, 40)), 20)]
    assert after(*first).resumes == Resumed(1, 40, DIGEST)
    assert after(*first).admitted == (Admitted(2, None), Admitted(1, 40))
    assert after(*first, (claim(3, "c", (2, 60)), 40)).admitted == (
        Admitted(3, None),
        Admitted(2, 60),
        Admitted(1, 40),
    )
    assert after(*first, (claim(3, "c", (2, 30)), 40)).admitted[2] == Admitted(1, 30)
    assert after(*first, (claim(3, "c"), 40)).admitted == (Admitted(3, None),)


def test_a_claim_that_resumes_what_never_was_starts_afresh() -> None:
    state = after((claim(1, "a", (7, 40)), 1))
    assert (state.owner, state.resumes, state.admitted) == ("a", None, (Admitted(1, None),))


def test_events_of_unknown_jobs_are_passed_over() -> None:
    assert fold([(claim(1, "a"), at(0)), (done(1, "a"), at(1))]) == {}


MAKERS: tuple[Callable[[int, str], AnyEvent], ...] = (
    claim,
    beat,
    done,
    yielded,
    failed,
    lambda epoch, owner: failed(epoch, owner, retryable=False),
)


def made(choice: tuple[int, int, str]) -> AnyEvent:
    maker, epoch, owner = choice
    return MAKERS[maker](epoch, owner)


EVENT = st.tuples(st.integers(0, len(MAKERS) - 1), st.integers(1, 4), st.sampled_from(["a", "b", "c"])).map(made)
EVENTS = st.lists(st.tuples(EVENT, st.floats(-3, 15)), max_size=25)


@given(EVENTS)
def test_whatever_the_order_a_job_ends_at_most_once(steps: list[tuple[AnyEvent, float]]) -> None:
    jobs, seconds = Jobs(), 0.0
    jobs.apply(QUEUED, at(0))
    states = [jobs.states[JOB]]
    for event, passed in steps:
        seconds += passed  # may run backwards
        jobs.apply(event, at(seconds))
        states.append(jobs.states[JOB])
    for (event, _), (before, state) in zip(steps, pairwise(states), strict=True):
        if before.status in ("completed", "failed"):
            assert state == before
        assert state.epoch - before.epoch in (0, 1)
        assert state.attempts_left == ATTEMPTS - state.epoch + state.yielded
        if state.status == "completed" != before.status:
            assert isinstance(event, JobCompleted)
            assert (event.owner, event.epoch) == (before.owner, before.epoch)
    owners = {state.epoch: {other.owner for other in states if other.epoch == state.epoch} for state in states}
    assert all(len(holders) == 1 for holders in owners.values())
    assert sum(a.status != "completed" == b.status for a, b in pairwise(states)) <= 1


@given(EVENTS, st.integers(0, 25))
def test_folding_in_two_parts_is_folding_at_once(steps: list[tuple[AnyEvent, float]], cut: int) -> None:
    timed = [(QUEUED, at(0)), *((event, at(seconds)) for event, seconds in steps)]
    jobs = Jobs()
    for event, moment in timed[:cut]:
        jobs.apply(event, moment)
    for event, moment in timed[cut:]:
        jobs.apply(event, moment)
    assert jobs.states == fold(timed)
