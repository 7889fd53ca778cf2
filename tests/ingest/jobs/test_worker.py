import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.jobs.attempt import Attempt, LeaseLost, News
from ingest.jobs.board import Board
from ingest.jobs.fold import Admitted, JobState, fold
from ingest.jobs.queue import queue
from ingest.jobs.worker import Served, Settings, serve
from ingest.log import EventLog, open_log, publish, replay
from models.errors import TerminalError, TransientError
from models.events import parse
from models.events.job import JobClaimed, JobCompleted, JobFailed
from models.events.result import TrainingStepLogged
from tests.ingest.full_disk import files_end_at

SCRIPT = Path(__file__).with_name("counting_worker.py")
ROOT = Path(__file__).parents[3]
LEASE_S = 1.0
FAST = Settings(heartbeat_s=0.2, poll_s=0.02)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def start(home: Home, owner: str, pause_s: float = 0.0) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(home.path), owner, str(pause_s)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def stop(worker: subprocess.Popen[str], home: Home) -> None:
    """Stop it while it doesn't hold the log's write lock: nobody could write as long as it slept."""
    connection = sqlite3.connect(home.log / "log.sqlite", isolation_level=None, timeout=30)
    connection.execute("begin immediate")
    worker.send_signal(signal.SIGSTOP)
    connection.execute("rollback")
    connection.close()


def ended(worker: subprocess.Popen[str]) -> Served:
    answer, _ = worker.communicate(timeout=60)
    assert worker.returncode == 0
    return Served(*map(int, answer.split()))


def jobs(log: EventLog) -> dict[str, JobState]:
    return fold((parse(record.value), record.appended_at) for record in replay(log, "jobs"))


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def steps(log: EventLog, job: JobState) -> list[int]:
    """What counts of the job's steps: those of the admitted epochs."""
    limits = dict(job.admitted)
    events = [parse(record.value) for record in replay(log, "results")]
    return sorted(
        event.step
        for event in events
        if isinstance(event, TrainingStepLogged)
        and event.job_id == job.job_id
        and event.epoch in limits
        and event.step <= (limits[event.epoch] or event.step)
    )


def test_four_workers_at_once_do_every_job_once(home: Home, log: EventLog) -> None:
    for number in range(12):
        queue(log, "train", f"train-{number}")
    workers = [start(home, f"w{number}") for number in range(4)]
    served = [ended(worker) for worker in workers]
    assert sum(one.completed for one in served) == 12
    assert {(job.status, job.epoch) for job in jobs(log).values()} == {("completed", 1)}
    completions = [
        event for event in (parse(record.value) for record in replay(log, "jobs")) if isinstance(event, JobCompleted)
    ]
    assert set(Counter(event.job_id for event in completions).values()) == {1}


def test_a_killed_worker_is_replaced_and_its_steps_are_inherited(home: Home, log: EventLog) -> None:
    job_id = queue(log, "train", "train-1", lease_s=LEASE_S)
    first = start(home, "first", 0.05)
    wait_until(lambda: (jobs(log)[job_id].step or 0) >= 3)
    first.kill()
    first.communicate()
    assert ended(start(home, "second")) == Served(completed=1)
    job = jobs(log)[job_id]
    assert (job.status, job.epoch, job.owner) == ("completed", 2, "second")
    assert job.resumes is not None
    assert job.admitted == (Admitted(2, None), Admitted(1, job.resumes.step))
    assert steps(log, job) == list(range(1, 21))


def test_a_worker_that_slept_past_its_lease_counts_for_nothing(home: Home, log: EventLog) -> None:
    job_id = queue(log, "train", "train-1", lease_s=LEASE_S)
    zombie = start(home, "zombie", 0.05)
    wait_until(lambda: (jobs(log)[job_id].step or 0) >= 2)
    stop(zombie, home)
    assert ended(start(home, "second")) == Served(completed=1)
    zombie.send_signal(signal.SIGCONT)
    assert ended(zombie) == Served(lost=1)
    job = jobs(log)[job_id]
    assert (job.status, job.epoch, job.owner) == ("completed", 2, "second")
    assert steps(log, job) == list(range(1, 21))


def test_a_worker_told_to_end_gives_the_job_back(home: Home, log: EventLog) -> None:
    job_id = queue(log, "train", "train-1")
    for number in (1, 2, 3):
        worker, saved = start(home, f"polite-{number}", 0.05), home.artifacts(job_id, number)
        wait_until(lambda saved=saved: any(saved.glob("*.sha256")))
        worker.terminate()
        assert ended(worker) == Served(yielded=1)
        job = jobs(log)[job_id]
        assert (job.status, job.epoch, job.attempts_left) == ("queued", number, 3)
        assert job.reason == "the worker was stopped"
    assert ended(start(home, "last")) == Served(completed=1)
    job = jobs(log)[job_id]
    assert (job.status, job.epoch, len(job.admitted)) == ("completed", 4, 4)
    assert steps(log, job) == list(range(1, 21)), "each goes on from where the one before gave way"


def test_an_interrupt_gives_the_job_back_too(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-1", "judge-1")

    def run(attempt: Attempt) -> None:
        raise KeyboardInterrupt

    heard: list[News] = []
    with pytest.raises(KeyboardInterrupt):
        serve(log, home, {"eval": run}, once=True, settings=FAST, tell=heard.append)
    job = jobs(log)[job_id]
    assert (job.status, job.attempts_left, job.reason) == ("queued", 3, "the worker was interrupted")
    assert [news.what for news in heard] == ["claimed", "yielded"]


def test_a_transient_fault_is_tried_again_until_the_attempts_are_used_up(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-1", "judge-1")

    def run(attempt: Attempt) -> None:
        raise TransientError(f"the broker is away, epoch {attempt.epoch}")

    assert serve(log, home, {"eval": run}, once=True, settings=FAST) == Served(failed=3)
    job = jobs(log)[job_id]
    assert (job.status, job.epoch, job.reason) == ("failed", 3, "the broker is away, epoch 3")


@pytest.mark.parametrize("fault", [TerminalError("the set is missing"), ZeroDivisionError("division by zero")])
def test_other_faults_end_the_job_but_not_the_worker(home: Home, log: EventLog, fault: Exception) -> None:
    bad, good = queue(log, "eval", "eval-1", "judge-1"), queue(log, "eval", "eval-2", "judge-1")

    def run(attempt: Attempt) -> str:
        if attempt.job.job_id == bad:
            raise fault
        return "d" * 64

    heard: list[News] = []
    served = serve(log, home, {"eval": run}, once=True, settings=FAST, tell=heard.append)
    assert served == Served(completed=1, failed=1)
    assert [(news.job.job_id, news.what) for news in heard] == [
        (bad, "claimed"),
        (bad, "failed"),
        (good, "claimed"),
        (good, "completed"),
    ]
    assert (jobs(log)[bad].status, jobs(log)[good].artifact_sha256) == ("failed", "d" * 64)
    assert str(fault) in (jobs(log)[bad].reason or "")


def test_a_job_whose_last_worker_died_is_called_failed(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-1", "judge-1", lease_s=0.05, attempts=1)
    claim_by(log, job_id, 1, "dead")
    assert serve(log, home, {"eval": lambda attempt: None}, once=True, settings=FAST) == Served()
    assert (jobs(log)[job_id].status, jobs(log)[job_id].owner) == ("failed", "dead")


def test_a_full_disk_costs_an_attempt_and_leaves_nothing_half_written(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-1", "judge-1")
    resumed: list[int | None] = []

    def run(attempt: Attempt) -> str:
        resumed.append(attempt.state.step if attempt.state else None)
        attempt.save(attempt.epoch, b"small")
        if attempt.epoch == 1:
            with files_end_at(2_000_000):  # more than the log's own files have
                attempt.save(2, b"x" * 4_000_000)
        return "d" * 64

    served = serve(log, home, {"eval": run}, once=True, settings=FAST)
    assert served == Served(completed=1, failed=1)
    assert resumed == [None, 1], "what was saved before the disk was full is there"
    assert [path.name for path in sorted(home.artifacts(job_id, 1).iterdir())] == [
        "state-000000000001.bin",
        "state-000000000001.sha256",
    ]
    reasons = [
        event.reason
        for event in map(parse, (record.value for record in replay(log, "jobs")))
        if isinstance(event, JobFailed)
    ]
    assert re.search(
        r"state-000000000002.bin can't be written: File too large .* make room, then try again", reasons[0]
    )


def test_jobs_of_other_kinds_and_other_ids_are_left(home: Home, log: EventLog) -> None:
    train, one, two = queue(log, "train", "t"), queue(log, "eval", "e", "j"), queue(log, "eval", "f", "j")
    assert serve(log, home, {"eval": lambda attempt: None}, once=True, only={two}, settings=FAST).completed == 1
    assert {job_id: job.status for job_id, job in jobs(log).items()} == {
        train: "queued",
        one: "queued",
        two: "completed",
    }


def test_without_its_lease_an_attempt_writes_nothing(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-1", "judge-1", lease_s=LEASE_S)

    def run(attempt: Attempt) -> None:
        time.sleep(0.3)
        with pytest.raises(LeaseLost):
            attempt.emit([])
        raise LeaseLost("stop here")

    def overtake(news: News) -> None:
        """Another worker's view: this one's lease is over (its heartbeats are not sent), and the job is its own."""
        if news.what == "claimed":
            time.sleep(LEASE_S + 0.05)
            claim_by(log, job_id, 2, "other")
            publish(log, [completed_by(job_id, 2, "other")])

    assert serve(log, home, {"eval": run}, once=True, settings=FAST, tell=overtake) == Served(lost=1)
    assert (jobs(log)[job_id].status, jobs(log)[job_id].owner) == ("completed", "other")


def test_a_job_without_its_spec_says_so(home: Home, log: EventLog) -> None:
    job_id = queue(log, "eval", "eval-404", "judge-1")
    serve(log, home, {"eval": lambda attempt: attempt.issued.spec_id}, once=True, settings=FAST)
    assert "spec eval-404, which is not on the log" in (jobs(log)[job_id].reason or "")


def test_the_board_reads_on_from_where_it_was(log: EventLog) -> None:
    board = Board(log)
    board.refresh()
    assert board.jobs == {}
    job_id = queue(log, "eval", "eval-1", "judge-1")
    board.refresh()
    claim_by(log, job_id, 1, "a")
    board.refresh()
    assert board.jobs == jobs(log)


def claim_by(log: EventLog, job_id: str, epoch: int, owner: str) -> None:
    publish(log, [JobClaimed(id=f"{owner}-{epoch}", source="test", job_id=job_id, epoch=epoch, owner=owner)])


def completed_by(job_id: str, epoch: int, owner: str) -> JobCompleted:
    return JobCompleted(id=f"done-{owner}-{epoch}", source="test", job_id=job_id, epoch=epoch, owner=owner)
