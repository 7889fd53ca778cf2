import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import EventLog, open_log, publish, replay
from models.errors import TerminalError
from models.events import AnyEvent, parse
from models.events.checkpoint import CheckpointRegistered
from models.events.result import TrainingCompleted, TrainingStepLogged
from models.specs import Args
from tests.ingest.jobs.frozen import issue, kept, training_spec
from tests.training.sentences import HashedWords, sentences
from text.embedding import load_embedder
from training.judges.lexicon import BASELINE, LexiconJudge
from training.judges.open import open_judge
from training.serve import run_training

FAST = Settings(heartbeat_s=0.2, poll_s=0.02)
SCRIPT, ROOT = Path(__file__).with_name("training_worker.py"), Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def queued(home: Home, log: EventLog, samples: Sequence[Sample], args: Args, method: str = "judge") -> str:
    return queue(log, "train", issue(log, training_spec(kept(home, samples), args, method)), lease_s=1.0)


def work(home: Home, log: EventLog) -> JobState:
    serve(log, home, {"train": lambda attempt: run_training(attempt, HashedWords())}, once=True, settings=FAST)
    board = Board(log)
    board.refresh()
    (job,) = board.jobs.values()
    return job


def written(log: EventLog, topic: str) -> list[AnyEvent]:
    return [parse(record.value) for record in replay(log, topic)]


def registered(log: EventLog) -> CheckpointRegistered:
    board = Board(log)
    board.refresh()
    (checkpoint,) = board.checkpoints.values()
    return checkpoint


def logged(log: EventLog) -> dict[tuple[int, str], float]:
    """Metrics of the job as the mart admits them: upserted by step and metric, within the admitted steps."""
    board = Board(log)
    board.refresh()
    limits = dict(next(iter(board.jobs.values())).admitted)
    steps = [event for event in written(log, "results") if isinstance(event, TrainingStepLogged)]
    return {
        (event.step, event.metric): event.value
        for event in sorted(steps, key=lambda event: event.epoch)
        if event.epoch in limits and event.step <= (limits[event.epoch] or event.step)
    }


def test_a_judge_learns_and_beats_the_base_rate_and_the_baseline(home: Home, log: EventLog) -> None:
    samples = sentences(300)
    queued(home, log, samples, {"passes": 10})
    assert work(home, log).status == "completed"
    (completed,) = [event for event in written(log, "results") if isinstance(event, TrainingCompleted)]
    metrics = {metric: value for (_, metric), value in logged(log).items()}
    assert completed.metric == "heldout/accuracy"
    assert completed.value == metrics["heldout/accuracy"] > metrics["heldout/base_rate"] + 0.2
    assert metrics["heldout/mode_accuracy"] > 0.9
    assert metrics["heldout/ece"] < 0.1
    assert completed.train_rows + completed.validation_rows + completed.heldout_rows == len(samples)
    assert {"train/loss", "validation/loss", "validation/accuracy"} < set(metrics)

    checkpoint = registered(log)
    assert (checkpoint.role, checkpoint.method, checkpoint.job_id) == ("judge", "judge", completed.job_id)
    judge = open_judge(home, log, HashedWords())(checkpoint.checkpoint_id)
    fresh = sentences(150, seed=1)
    texts = [sample.text or "" for sample in fresh]
    right = sum(
        (said.negative >= 0.5) == sample.is_negative for said, sample in zip(judge.judge(texts), fresh, strict=True)
    )
    baseline = sum(
        (said.negative >= 0.5) == sample.is_negative
        for said, sample in zip(LexiconJudge().judge(texts), fresh, strict=True)
    )
    assert right > baseline
    assert right > 0.9 * len(fresh)


def test_what_stands_beside_a_text_does_not_show_in_its_judgement(home: Home, log: EventLog) -> None:
    queued(home, log, sentences(200), {"passes": 3})
    work(home, log)
    judge = open_judge(home, log, HashedWords())(registered(log).checkpoint_id)
    texts = [sample.text or "" for sample in sentences(60, seed=2)]
    together = judge.judge([*texts, *texts[::-1], "THE ANSWER  is wrong", "the answer is wrong", ""])
    assert together[:60] == together[60:120][::-1] == [judge.judge([text])[0] for text in texts]
    assert together[120] == together[121]
    assert 0 <= together[122].negative <= 1


def test_a_killed_training_ends_with_the_same_bits(home: Home, log: EventLog, tmp_path: Path) -> None:
    args: Args = {
        "passes": 40,
        "patience": 40,
        "batch": 16,
        "buckets": 512,
        "width": 16,
        "save_every": 10,
        "log_every": 5,
    }
    samples = sentences(150)
    job_id = queued(home, log, samples, args)
    worker = subprocess.Popen([sys.executable, str(SCRIPT), str(home.path)], env=os.environ | {"PYTHONPATH": str(ROOT)})
    deadline = time.monotonic() + 120
    while len(list(home.artifacts(job_id, 1).glob("*.sha256"))) < 1:
        assert worker.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    job = work(home, log)
    assert (job.status, job.epoch) == ("completed", 2)
    assert job.resumes is not None and job.resumes.step >= 10

    other_home = Home.open(tmp_path / "other")
    with open_log(None, other_home.path) as other:
        assert queued(other_home, other, samples, args) == job_id
        assert work(other_home, other).artifact_sha256 == job.artifact_sha256
        assert registered(other).checkpoint_id == registered(log).checkpoint_id
        assert logged(other) == logged(log)
    for topic in ("results", "checkpoints"):
        ids = Counter(event.id for event in written(log, topic))
        assert set(ids.values()) == {1}


def test_training_twice_gives_one_checkpoint(home: Home, log: EventLog) -> None:
    samples = sentences(120)
    queued(home, log, samples, {"passes": 2})
    first = work(home, log)
    queue(log, "train", first.spec_id, look=2)
    serve(log, home, {"train": lambda attempt: run_training(attempt, HashedWords())}, once=True, settings=FAST)
    assert [path.name for path in home.checkpoints.iterdir()] == [registered(log).checkpoint_id]


@pytest.mark.parametrize(
    ("args", "method", "n", "reason"),
    [
        ({"lr": 0.1}, "judge", 100, "has no argument 'lr'; known: seed, buckets"),
        ({"passes": "many"}, "judge", 100, "passes of the method judge is 'many'; it takes a whole number"),
        ({}, "judgement", 100, "no training method 'judgement'; known: judge"),
        ({}, "judge", 2, "can't train a judge"),
        ({}, "judge", 0, "can't train a judge"),
    ],
)
def test_a_spec_that_can_not_be_trained_says_why(
    home: Home, log: EventLog, *, args: Args, method: str, n: int, reason: str
) -> None:
    queued(home, log, sentences(n), args, method)
    job = work(home, log)
    assert job.status == "failed"
    assert reason in (job.reason or "")


def test_verdicts_without_modes_are_enough(home: Home, log: EventLog) -> None:
    queued(home, log, [sample._replace(mode_id=None) for sample in sentences(120)], {"passes": 2})
    assert work(home, log).status == "completed"
    judgement = open_judge(home, log, HashedWords())(registered(log).checkpoint_id).judge(["it crashes"])[0]
    assert (judgement.mode_id, judgement.mode_probability) == (None, 0.0)


def test_a_damaged_or_unknown_judge_is_refused(home: Home, log: EventLog) -> None:
    queued(home, log, sentences(120), {"passes": 1})
    work(home, log)
    checkpoint = registered(log)
    with pytest.raises(TerminalError, match=r"reads vectors of hashed-words-16.*, and this home has .*: open"):
        open_judge(home, log)(checkpoint.checkpoint_id).judge(["x"])
    weights = home.path / (checkpoint.path or "") / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-4] + b"\x00\x00\x80\x3f")
    with pytest.raises(TerminalError, match="is damaged"):
        open_judge(home, log, HashedWords())(checkpoint.checkpoint_id)
    with pytest.raises(
        TerminalError, match=f"No judge 'judge-9' counts on this log; known: {checkpoint.checkpoint_id}"
    ):
        open_judge(home, log)("judge-9")


def test_the_real_embedding_fits(home: Home, log: EventLog) -> None:
    queued(home, log, sentences(60), {"passes": 2})
    serve(log, home, {"train": run_training}, once=True, settings=FAST)
    checkpoint = registered(log)
    embedder = load_embedder()
    assert home.facts()["embedding"] == f"{embedder.model_id}-{embedder.dtype}"
    assert len(open_judge(home, log)(checkpoint.checkpoint_id).judge(["thanks", "it crashes"])) == 2


def test_the_baseline_is_a_judge_that_needs_no_files(home: Home, log: EventLog) -> None:
    publish(log, [BASELINE, BASELINE])
    judge = open_judge(home, log)(BASELINE.checkpoint_id)
    assert judge.checkpoint_id == BASELINE.checkpoint_id
