import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.serve import run_eval, run_judging
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import EventLog, open_log, replay
from models.events import AnyEvent, parse
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.score import ScoreGiven
from models.protocols import Judge
from tests.ingest.jobs.frozen import eval_spec, issue, judging_spec, kept
from training.judges.lexicon import CHECKPOINT_ID, LexiconJudge

FAST = Settings(heartbeat_s=0.2, poll_s=0.02)
SCRIPT, ROOT = Path(__file__).with_name("eval_worker.py"), Path(__file__).parents[2]
COMMENTS = [
    Sample(
        f"s{number:03}",
        text="This is wrong and useless." if number % 3 else "Perfect, thanks!",
        is_negative=number % 2 == 0,
        target_kind="response",
        target_id=f"r{number // 2}",
    )
    for number in range(60)
]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def open_lexicon(checkpoint_id: str) -> Judge:
    assert checkpoint_id == CHECKPOINT_ID
    return LexiconJudge()


def work(log: EventLog, home: Home) -> None:
    serve(
        log,
        home,
        {
            "eval": lambda attempt: run_eval(attempt, open_lexicon, chunk=7),
            "judge": lambda attempt: run_judging(attempt, open_lexicon, chunk=7),
        },
        once=True,
        settings=FAST,
    )


def written(log: EventLog, topic: str) -> list[AnyEvent]:
    return [parse(record.value) for record in replay(log, topic)]


def the_job(log: EventLog) -> JobState:
    board = Board(log)
    board.refresh()
    (job,) = board.jobs.values()
    return job


def counted(log: EventLog) -> list[EvalSampleScored]:
    """Sample results as the mart admits them: of the admitted epochs, the newest of each sample."""
    admitted = {epoch for epoch, _ in the_job(log).admitted}
    events = [event for event in written(log, "results") if isinstance(event, EvalSampleScored)]
    newest = {
        event.sample_id: event for event in sorted(events, key=lambda event: event.epoch) if event.epoch in admitted
    }
    return list(newest.values())


def test_a_judge_is_scored_on_comments_with_a_vote(home: Home, log: EventLog) -> None:
    extra = [Sample("t1", text="no vote"), Sample("t2", is_negative=True)]
    spec_id = issue(log, eval_spec(kept(home, COMMENTS + extra), "negative_feedback", "judge"))
    queue(log, "eval", spec_id, CHECKPOINT_ID)
    work(log, home)
    assert the_job(log).status == "completed"
    (completed,) = [event for event in written(log, "results") if isinstance(event, EvalCompleted)]
    assert (completed.metric, completed.value, completed.interval) == ("accuracy", 0.5, "wilson")
    assert (completed.samples, completed.scored, completed.errored) == (62, 60, 1)
    assert completed.low is not None and completed.high is not None
    assert completed.low < 0.5 < completed.high
    by_id = {event.sample_id: event for event in counted(log)}
    assert len(by_id) == 61
    assert (by_id["t2"].status, by_id["t2"].score, by_id["t2"].explanation) == ("errored", None, "the text is unknown")
    assert {event.score for event in by_id.values()} == {0.0, 1.0, None}


def test_a_policy_is_scored_on_its_own_answers(home: Home, log: EventLog) -> None:
    samples = [
        Sample("a", checkpoint_id="p1", prompt="At most 2 words.", completion="two words"),
        Sample("b", checkpoint_id="p1", prompt="At most 2 words, no commas.", completion="three, or more"),
        Sample("c", checkpoint_id="p1", prompt="Hello", completion="Hi"),
        Sample("d", checkpoint_id="p1", prompt="At most 2 words."),
        Sample("e", checkpoint_id="p2", prompt="At most 2 words.", completion="two words"),
    ]
    queue(log, "eval", issue(log, eval_spec(kept(home, samples), "instructions", "policy")), "p1")
    work(log, home)
    (completed,) = [event for event in written(log, "results") if isinstance(event, EvalCompleted)]
    assert (completed.metric, completed.value) == ("obeyed", 0.5)
    assert (completed.samples, completed.scored, completed.errored) == (4, 2, 1)


def test_nothing_to_score_is_no_zero(home: Home, log: EventLog) -> None:
    queue(log, "eval", issue(log, eval_spec(kept(home, []), "concise", "policy")), "p1")
    work(log, home)
    (completed,) = [event for event in written(log, "results") if isinstance(event, EvalCompleted)]
    assert (completed.value, completed.low, completed.interval, completed.samples) == (None, None, None, 0)


@pytest.mark.parametrize(
    ("scorer", "role", "reason"),
    [
        (
            "judje",
            "judge",
            "the scorer 'judje'; known: behaviour, concise, failure_mode, instructions, negative_feedback",
        ),
        ("concise", "judge", "is about a judge; the scorer concise scores a policy"),
    ],
)
def test_a_spec_that_can_not_be_scored_says_why(home: Home, log: EventLog, scorer: str, role: str, reason: str) -> None:
    queue(log, "eval", issue(log, eval_spec(kept(home, COMMENTS), scorer, role)), CHECKPOINT_ID)
    work(log, home)
    assert the_job(log).status == "failed"
    assert reason in (the_job(log).reason or "")


def test_a_judge_scores_feedback_that_nobody_voted_on(home: Home, log: EventLog) -> None:
    samples = [*COMMENTS[:3], Sample("t1", target_kind="span", target_id="sp"), Sample("t2", text="no target")]
    queue(log, "judge", issue(log, judging_spec(kept(home, samples), CHECKPOINT_ID)), CHECKPOINT_ID)
    work(log, home)
    given = [event for event in written(log, "feedback") if isinstance(event, ScoreGiven)]
    assert {event.native_id: event.status for event in given} == {
        "s000": "scored",
        "s001": "scored",
        "s002": "scored",
        "t1": "skipped",
    }
    first = next(event for event in given if event.native_id == "s001")
    assert first.value is not None and first.value > 0.5
    assert (first.target.id, first.author.kind, first.author.id) == ("r0", "code", CHECKPOINT_ID)
    assert (first.metric, first.better, first.scale_min, first.scale_max) == ("judge/negative", "lower", 0.0, 1.0)
    assert (first.job_id, first.epoch) == (the_job(log).job_id, 1)


def test_a_killed_eval_goes_on_where_it_was(home: Home, log: EventLog) -> None:
    spec_id = issue(log, eval_spec(kept(home, COMMENTS), "negative_feedback", "judge"))
    queue(log, "eval", spec_id, CHECKPOINT_ID, lease_s=1.0)
    kill_midway(home, log, "results", after=20)
    work(log, home)
    job = the_job(log)
    assert (job.status, job.epoch) == ("completed", 2)
    assert job.resumes is not None and job.resumes.step >= 10
    (completed,) = [event for event in written(log, "results") if isinstance(event, EvalCompleted)]
    assert (completed.epoch, completed.value, completed.scored) == (2, 0.5, 60)
    assert sorted(event.sample_id for event in counted(log)) == [sample.sample_id for sample in COMMENTS]
    scored = {event.id: event for event in written(log, "results") if isinstance(event, EvalSampleScored)}
    assert Counter(event.sample_id for event in scored.values()) == Counter(sample.sample_id for sample in COMMENTS)


def test_a_killed_judging_goes_on_where_it_was(home: Home, log: EventLog) -> None:
    spec_id = issue(log, judging_spec(kept(home, COMMENTS), CHECKPOINT_ID))
    queue(log, "judge", spec_id, CHECKPOINT_ID, lease_s=1.0)
    kill_midway(home, log, "feedback", after=20)
    work(log, home)
    job = the_job(log)
    assert (job.status, job.epoch) == ("completed", 2)
    given = [event for event in written(log, "feedback") if isinstance(event, ScoreGiven)]
    assert {event.native_id for event in given} == {sample.sample_id for sample in COMMENTS}
    assert len(given) <= len(COMMENTS) + 10  # at most the chunk that was appended but not yet saved


def kill_midway(home: Home, log: EventLog, topic: str, after: int) -> None:
    """Run a worker process until it has written `after` events to `topic`, then kill it."""
    worker = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(home.path), "0.1"], env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    deadline = time.monotonic() + 60
    while sum(log.end_offsets(topic).values()) < after:
        assert worker.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    worker.kill()
    worker.wait()
