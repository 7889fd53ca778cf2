"""The method `mode-classifier` on planted words: what it registers, and what it refuses."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import EventLog, open_log
from models.specs import Args
from tests.ingest.jobs.frozen import issue, kept, training_spec
from tests.training.sentences import HashedWords
from training import checkpoint
from training.serve import run_training
from transforms.taxonomy.trained import fit_classifier
from transforms.taxonomy.version import model_version

FAST = Settings(heartbeat_s=0.2, poll_s=0.02)
METHOD = "mode-classifier"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def planted(**counts: int) -> list[Sample]:
    """So many texts of each mode, with words of its own."""
    return [
        Sample(f"app|{mode}-{n}", text=f"{mode} {mode}{n} it is", mode_id=mode)
        for mode, count in counts.items()
        for n in range(count)
    ]


def work(home: Home, log: EventLog, samples: Sequence[Sample], args: Args | None = None, look: int = 1) -> JobState:
    spec = training_spec(kept(home, samples), args or {}, METHOD)
    job_id = queue(log, "train", issue(log, spec), look=look, lease_s=5.0)
    serve(
        log,
        home,
        {"train": lambda attempt: run_training(attempt, HashedWords(), fit_classifier)},
        once=True,
        settings=FAST,
    )
    board = Board(log)
    board.refresh()
    return board.job(job_id)


def test_the_checkpoint_is_named_by_what_it_was_fitted_on(home: Home, log: EventLog) -> None:
    samples = planted(slow=8, rude=8, other=8)
    job = work(home, log, samples)
    assert job.status == "completed", job.reason
    embedding = f"{HashedWords().model_id}-{HashedWords().dtype}"
    version = model_version([each.text or "" for each in samples], [each.mode_id or "" for each in samples], embedding)
    kept_as = checkpoint.load(home.checkpoints / version, job.artifact_sha256)
    assert kept_as.config["modes"] == ["other", "rude", "slow"]
    assert kept_as.config["card"]["examples"] == len(samples)
    assert work(home, log, samples[::-1], look=2).artifact_sha256 == job.artifact_sha256
    assert [path.name for path in home.checkpoints.iterdir()] == [version]

    checkpoint.save(home.checkpoints / f"{version}-x", checkpoint.dump({"on_vectors": torch.ones(2)}, {}))
    (home.checkpoints / version).rename(home.path / "away")
    (home.checkpoints / f"{version}-x").rename(home.checkpoints / version)
    again = work(home, log, samples, look=3)
    assert again.status == "failed"
    assert f"the same fit gives {job.artifact_sha256} here" in (again.reason or "")


@pytest.mark.parametrize(
    ("samples", "args", "reason"),
    [
        (planted(slow=8, rude=4, other=8), {}, "'rude' has 4 seed examples; it needs 5 or more"),
        (planted(slow=8, other=8), {}, r"2 modes (other, slow); a classifier needs 3 or more"),
        ([], {}, "The examples show 0 modes (none)"),
        ([*planted(slow=8), Sample("app|x", text="x")], {}, "sample app|x: it has no mode"),
        (planted(slow=8), {"seed": 1}, "The method mode-classifier takes no arguments; the spec sets seed"),
    ],
)
def test_a_spec_that_no_classifier_comes_of_says_why(
    home: Home, log: EventLog, samples: list[Sample], args: Args, reason: str
) -> None:
    job = work(home, log, samples, args)
    assert job.status == "failed"
    assert reason in (job.reason or "")
    assert not home.checkpoints.exists()
