"""What in the loop does not move, and what only waits."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dashboards import job_states
from dashboards.pulse import Pulse, Watch
from dashboards.stuck import stuck
from ingest.home import Home
from ingest.jobs.fold import fold
from ingest.log import open_log, publish
from ingest.sink import Sink
from ingest.sink.lag import Behind
from ingest.sink.presence import Running
from models.errors import TransientError
from models.events.comment import CommentLeft
from models.events.job import JobClaimed, JobCompleted, JobFailed, JobQueued
from models.feedback import Author, Target

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def pulse(**facts: Any) -> Pulse:
    return Pulse(NOON, "", {}, {}, [], {})._replace(**facts)


def behind(seconds: float) -> dict[tuple[str, int], Behind]:
    return {("feedback", 0): Behind(7, NOON - timedelta(seconds=seconds)), ("jobs", 0): Behind(0, None)}


def test_what_moves_is_not_stuck() -> None:
    assert stuck(pulse(), 0, NOON, [], NOON) == []
    assert stuck(None, 5, NOON - timedelta(seconds=599), [], NOON) == []
    assert stuck(pulse(behind=behind(2)), 0, NOON, [], NOON) == []


def test_records_that_nobody_lands_are() -> None:
    (found,) = stuck(pulse(behind=behind(3_600)), 0, NOON, [], NOON)
    assert found == (
        "ingest",
        "7 records of the log wait to land",
        "the oldest for 60 min, and no sink runs",
        "flywheel sink",
    )
    sink = Running("a", "host", 12, shares=False, trouble="")
    (found,) = stuck(pulse(behind=behind(3_600), sinks=[sink]), 0, NOON, [], NOON)
    assert "say nothing of it" in found.why
    (found,) = stuck(pulse(behind=behind(3_600), sinks=[sink._replace(trouble="the disk is full")]), 0, NOON, [], NOON)
    assert (found.what, found.why) == ("The sink 12 on host does not land", "the disk is full")


def test_an_old_build_is_stuck_only_while_something_waits_for_it() -> None:
    assert stuck(None, 0, NOON - timedelta(days=3), [], NOON) == []
    (found,) = stuck(None, 12, NOON - timedelta(days=3), [], NOON)
    assert (found.what, found.why) == ("12 records landed after the last build", "it is 3 days old")


def test_jobs_are_told_by_their_lease_and_end() -> None:
    def queued(job: str) -> JobQueued:
        return JobQueued(id=f"q{job}", source="t", job_id=job, kind="eval", spec_id="s", lease_s=60, attempts=1)

    def claimed(job: str) -> JobClaimed:
        return JobClaimed(id=f"c{job}", source="t", job_id=job, epoch=1, owner=f"worker-{job}")

    events = [*map(queued, "abcd"), *map(claimed, "abc")]
    ended = [
        JobCompleted(id="e", source="t", job_id="a", epoch=1, owner="worker-a"),
        JobFailed(id="f", source="t", job_id="b", epoch=1, owner="worker-b", reason="no memory", retryable=False),
    ]
    jobs = fold((event, NOON) for event in (*events, *ended))
    states = {row["job_id"]: row["state"] for row in job_states.live(pulse(jobs=jobs))}
    assert states == {"a": "completed", "b": "failed", "c": "running", "d": "queued"}
    later = NOON + timedelta(seconds=61)
    rows = job_states.live(pulse(jobs=jobs, at=later))
    assert {row["job_id"]: row["state"] for row in rows}["c"] == "stuck"
    silent, failed = stuck(pulse(), 0, NOON, rows, later)
    assert (silent.what, silent.why) == ("1 job has an owner that is silent", "worker-c")
    assert (failed.what, failed.why) == ("1 job failed for good", "no memory")
    built = job_states.built([{"status": "claimed", "updated_at": NOON}, {"status": "failed", "updated_at": NOON}])
    assert [row["state"] for row in built] == ["running", "failed"]


def test_a_watch_sees_the_log_and_says_when_it_cant(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    with open_log(None, home.path) as log:
        watch = Watch(home, log, every_s=0.01)
        watch.start()
        target, author = Target(kind="response", id="r"), Author(kind="human", id="u")
        publish(log, [CommentLeft(id=str(n), source="t", target=target, author=author, text="hm") for n in range(3)])
        assert _until(watch, lambda seen: sum(one.positions for one in seen.behind.values()) == 3).waits_s > 0
        Sink(log, home).drain()
        seen = _until(watch, lambda seen: seen.landed.get(("feedback", 0)) == 3)
        assert (seen.waits_s, seen.fault) == (0, "")

        def away(topic: str) -> dict[int, int]:
            raise TransientError(f"{topic} is away")

        log.end_offsets = away
        assert "is away" in _until(watch, lambda seen: seen.fault != "").fault
        watch.stop()


def _until(watch: Watch, seen: Callable[[Pulse], bool]) -> Pulse:
    for _ in range(2_000):
        found = watch.pulse(5)
        if found is not None and seen(found):
            return found
        time.sleep(0.005)
    raise AssertionError(f"never seen: {watch.pulse()}")
