from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.jobs.board import Board
from ingest.jobs.queue import queue
from ingest.log import Entry, EventLog, open_log, publish
from models.events.checkpoint import CheckpointRegistered
from models.events.job import JobClaimed, JobCompleted


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with open_log(None, tmp_path) as log:
        yield log


def registered(checkpoint_id: str, job_id: str | None = None, epoch: int | None = None) -> CheckpointRegistered:
    return CheckpointRegistered(
        id=f"{checkpoint_id}-{epoch}",
        source="test",
        checkpoint_id=checkpoint_id,
        role="judge",
        method="judge",
        job_id=job_id,
        epoch=epoch,
    )


def test_a_checkpoint_counts_once_its_job_has_completed_with_that_epoch(log: EventLog) -> None:
    job_id = queue(log, "train", "train-1", lease_s=0.0)
    publish(log, [registered("baseline"), registered("zombies", job_id, 1), registered("winners", job_id, 2)])
    board = Board(log)
    board.refresh()
    assert list(board.checkpoints) == ["baseline"]
    for epoch in (1, 2):
        publish(log, [JobClaimed(id=f"c{epoch}", source="test", job_id=job_id, epoch=epoch, owner=f"w{epoch}")])
    publish(log, [JobCompleted(id="d2", source="test", job_id=job_id, epoch=2, owner="w2")])
    board.refresh()
    assert list(board.checkpoints) == ["baseline", "winners"]


def test_the_same_checkpoint_made_by_two_epochs_counts_by_the_one_that_won(log: EventLog) -> None:
    job_id = queue(log, "train", "train-1", lease_s=0.0)
    publish(log, [registered("equal", job_id, 1), registered("equal", job_id, 2)])
    for epoch in (1, 2):
        publish(log, [JobClaimed(id=f"c{epoch}", source="test", job_id=job_id, epoch=epoch, owner=f"w{epoch}")])
    publish(log, [JobCompleted(id="d2", source="test", job_id=job_id, epoch=2, owner="w2")])
    board = Board(log)
    board.refresh()
    assert board.checkpoints["equal"].epoch == 2


def test_what_can_not_be_parsed_is_passed_over(log: EventLog) -> None:
    log.append([Entry("jobs", "k", b"not json")])
    job_id = queue(log, "train", "train-1")
    board = Board(log)
    board.refresh()
    assert list(board.jobs) == [job_id]
