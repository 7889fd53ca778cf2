"""Policies that are asked while the eval runs, through a real endpoint on this machine."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from evals.policies.open import open_policy
from evals.serve import Opened, Options, run_eval
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import Entry, EventLog, Position, open_log, publish, replay
from models.errors import TransientError
from models.events import AnyEvent, parse
from models.events.checkpoint import CheckpointRegistered
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.rollout import RolloutRecorded
from models.protocols import Judge
from tests.evals.agents.model_server import Http
from tests.evals.answering import Answering, answering, said
from tests.ingest.jobs.frozen import eval_spec, issue, kept
from training.judges.lexicon import LexiconJudge

FAST = Settings(heartbeat_s=0.2, poll_s=0.02)
SCRIPT, ROOT = Path(__file__).with_name("policy_worker.py"), Path(__file__).parents[2]
PROMPTS = [Sample(f"s{number:03}", prompt=f"At most 2 words: {number}") for number in range(40)]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def registered(log: EventLog, name: str = "small", method: str = "elsewhere") -> CheckpointRegistered:
    event = CheckpointRegistered(id=name, source="t", checkpoint_id=name, role="policy", method=method)
    publish(log, [event])
    return event


def told(home: Home, url: str, more: str = "") -> None:
    settings = "".join(f"  {line}\n" for line in more.splitlines())
    (home.path / "policies.yml").write_text(f"small:\n  url: {url}\n  model: m\n{settings}")


def no_judge(checkpoint_id: str) -> Judge:
    return LexiconJudge()


def work(log: EventLog, home: Home, options: Options = Options()) -> None:  # noqa: B008
    def opened(checkpoint_id: str, samples: Any) -> Opened:
        board = Board(log)
        board.refresh()
        return Opened(open_policy(home, board.checkpoints[checkpoint_id], samples), served=False)

    serve(
        log,
        home,
        {"eval": lambda attempt: run_eval(attempt, no_judge, open_policy=opened, options=options)},
        once=True,
        settings=FAST,
    )


def asked_for(log: EventLog, home: Home, samples: list[Sample], trials: int = 1, **more: Any) -> str:
    """Queue an eval of `small` on the samples."""
    spec = eval_spec(kept(home, samples), "instructions", "policy").model_copy(update={"trials": trials})
    return queue(log, "eval", issue(log, spec), "small", **more)


def written(log: EventLog, topic: str = "results") -> list[AnyEvent]:
    return [parse(record.value) for record in replay(log, topic)]


def the_results(log: EventLog) -> tuple[list[EvalSampleScored], EvalCompleted]:
    events = written(log)
    (completed,) = (event for event in events if isinstance(event, EvalCompleted))
    return [event for event in events if isinstance(event, EvalSampleScored)], completed


def the_job(log: EventLog) -> JobState:
    board = Board(log)
    board.refresh()
    (job,) = board.jobs.values()
    return job


def test_several_samples_are_asked_at_once_over_few_connections(home: Home, log: EventLog) -> None:
    registered(log)
    asked_for(log, home, PROMPTS)
    prices = "parallel: 5\nusd_per_million: {prompt: 1, completion: 10}"
    with answering(lambda prompt: said("two words" if int(prompt[-1]) % 2 else "not two words"), pause=0.02) as model:
        told(home, model.url, prices)
        work(log, home)
    assert sorted(model.prompts) == sorted(str(sample.prompt) for sample in PROMPTS)
    assert model.at_once == 5
    assert model.connections <= 5
    results, completed = the_results(log)
    assert (completed.metric, completed.value, completed.interval) == ("obeyed", 0.5, "wilson")
    assert (completed.samples, completed.scored, completed.errored) == (40, 40, 0)
    assert (completed.prompt_tokens, completed.completion_tokens) == (40 * 60, 40 * 40)
    assert completed.usd == pytest.approx(40 * (60 + 400) / 1e6)
    assert all(event.usd == pytest.approx(460e-6) and event.seconds and event.seconds >= 0.02 for event in results)
    rollouts = {event.rollout_id: event for event in written(log, "responses") if isinstance(event, RolloutRecorded)}
    first = next(event for event in results if event.sample_id == "s001")
    assert first.rollout_id is not None
    assert [step.text for step in rollouts[first.rollout_id].steps] == ["At most 2 words: 1", "two words"]


def test_attempts_of_a_sample_are_apart_and_their_interval_is_clustered(home: Home, log: EventLog) -> None:
    registered(log)
    samples = [sample._replace(conversation_id=f"c{place % 5}") for place, sample in enumerate(PROMPTS[:20])]
    asked_for(log, home, samples, trials=3)
    with answering(lambda prompt: said("two words" if prompt[-1] in "02468" else "not two words")) as model:
        told(home, model.url, "seeded: true\ntemperature: 0.7")
        work(log, home)
    results, completed = the_results(log)
    assert Counter(event.trial for event in results) == {0: 20, 1: 20, 2: 20}
    assert {event.cluster for event in results} == {"c0", "c1", "c2", "c3", "c4"}
    assert (completed.value, completed.interval, completed.trials, completed.clusters) == (0.5, "clustered", 3, 5)
    assert (completed.samples, completed.scored) == (60, 60)
    assert completed.low is not None and completed.high is not None
    assert 0 < completed.low < 0.5 < completed.high < 1
    assert len({body["seed"] for body in model.bodies}) == 60
    assert {body["temperature"] for body in model.bodies} == {0.7}


def test_what_has_no_answer_is_no_zero_and_says_why(home: Home, log: EventLog) -> None:
    registered(log)
    answers: dict[str, dict[str, Any] | Http] = {
        "At most 2 words: 0": Http(400, "no"),
        "At most 2 words: 1": Http(200, "<html>"),
        "At most 2 words: 2": Http(503, "busy"),
        "At most 2 words: 3": {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]},
        "At most 2 words: 4": {"choices": [{"message": {"content": "two wo"}, "finish_reason": "length"}]},
        "At most 2 words: 5": {**said("two words"), "citations": ["https://example.org"]},
    }
    asked_for(log, home, [*PROMPTS[:7], Sample("t0")])
    with answering(lambda prompt: answers.get(prompt, said("two words"))) as model:
        told(home, model.url, "tries: 1")
        work(log, home)
    results, completed = the_results(log)
    assert {event.sample_id: event.fault for event in results} == {
        "s000": "refused", "s001": "unreadable", "s002": "infrastructure", "s003": "unreadable", "s004": None,
        "s005": "refused", "s006": None, "t0": "no_target",
    }  # fmt: skip
    assert all(event.score is None and event.explanation for event in results if event.fault)
    assert {event.sample_id for event in results if event.truncated} == {"s004"}
    assert (completed.value, completed.scored, completed.errored) == (1.0, 2, 6)
    assert the_job(log).status == "completed"


def test_a_slow_endpoint_is_given_up_and_the_run_goes_on(home: Home, log: EventLog) -> None:
    registered(log)

    def slow(prompt: str) -> dict[str, Any]:
        if prompt.endswith(" 1"):
            time.sleep(1.0)
        return said("two words")

    asked_for(log, home, PROMPTS[:4])
    with answering(slow) as model:
        told(home, model.url)
        work(log, home, Options(seconds=0.3))
        assert {event.sample_id: event.fault for event in the_results(log)[0]} == {
            "s000": None, "s001": "infrastructure", "s002": None, "s003": None,
        }  # fmt: skip


def test_money_that_is_used_up_ends_the_asking_and_is_said(home: Home, log: EventLog) -> None:
    registered(log)
    asked_for(log, home, PROMPTS)
    with answering(lambda prompt: said("two words")) as model:
        told(home, model.url, "parallel: 2\nusd_per_million: {prompt: 1000, completion: 1000}")  # a tenth of a dollar
        work(log, home, Options(max_usd=1.0))
    results, completed = the_results(log)
    assert 10 <= len(model.prompts) <= 11
    assert Counter(event.fault for event in results)["budget"] == completed.unasked == 40 - len(model.prompts)
    assert completed.usd == pytest.approx(len(model.prompts) / 10)
    assert (completed.value, completed.scored) == (1.0, len(model.prompts))


class Stumbling:
    """A log that is out of reach when it is first asked to append results."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.stumbled = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, entries: Sequence[Entry]) -> list[Position]:
        if not self.stumbled and any(entry.topic == "results" for entry in entries):
            self.stumbled = True
            raise TransientError("out of reach")
        return self._log.append(entries)


def test_what_was_saved_and_not_appended_is_appended_by_the_next_epoch(home: Home, log: EventLog) -> None:
    registered(log)
    asked_for(log, home, PROMPTS[:9])
    with answering(lambda prompt: said("two words")) as model:
        told(home, model.url, "parallel: 1")
        work(cast("EventLog", Stumbling(log)), home)
    assert sorted(model.prompts) == [sample.prompt for sample in PROMPTS[:9]]
    results, completed = the_results(log)
    assert Counter(event.sample_id for event in results) == Counter(sample.sample_id for sample in PROMPTS[:9])
    assert (completed.epoch, completed.scored) == (2, 9)
    assert [event.epoch for event in results] == [1, *[2] * 8]


def test_a_limit_of_money_wants_prices(home: Home, log: EventLog) -> None:
    registered(log)
    asked_for(log, home, PROMPTS)
    told(home, "http://127.0.0.1:9/v1")
    work(log, home, Options(max_usd=1.0))
    assert "usd_per_million" in (the_job(log).reason or "")


def test_a_checkpoint_that_can_not_be_asked_says_what_is_missing(home: Home, log: EventLog) -> None:
    registered(log)
    asked_for(log, home, PROMPTS)
    work(log, home)
    assert (the_job(log).status, "policies.yml" in (the_job(log).reason or "")) == ("failed", True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_ends_midway_asks_nothing_twice(home: Home, log: EventLog, how: signal.Signals) -> None:
    registered(log)
    asked_for(log, home, PROMPTS, lease_s=1.0)
    parallel = 3
    with answering(lambda prompt: said("two words"), pause=0.05) as model:
        told(home, model.url, f"parallel: {parallel}")
        end_midway(home, model, how, after=12)
        before = len(model.prompts)
        work(log, home)
    job = the_job(log)
    assert (job.status, job.epoch) == ("completed", 2)
    asked = Counter(model.prompts)
    assert asked.keys() == {sample.prompt for sample in PROMPTS}
    # What was under way when it was killed is asked again: nobody has its reply.
    under_way = parallel if how == signal.SIGKILL else 0
    assert sum(asked.values()) <= len(PROMPTS) + under_way, before
    results, completed = the_results(log)
    once = {event.id: event for event in results}
    assert Counter(event.sample_id for event in once.values()) == Counter(sample.sample_id for sample in PROMPTS)
    assert {event.epoch for event in once.values()} == {1, 2}
    assert (completed.epoch, completed.value, completed.scored, completed.samples) == (2, 1.0, 40, 40)
    assert completed.prompt_tokens == 40 * 60
    rollouts = [event.task_id for event in written(log, "responses") if isinstance(event, RolloutRecorded)]
    assert set(rollouts) == {sample.sample_id for sample in PROMPTS}


def end_midway(home: Home, model: Answering, how: signal.Signals, after: int) -> None:
    """Run a worker process until the endpoint was asked `after` times, then send it the signal."""
    worker = subprocess.Popen([sys.executable, str(SCRIPT), str(home.path)], env=os.environ | {"PYTHONPATH": str(ROOT)})
    deadline = time.monotonic() + 60
    while len(model.prompts) < after:
        assert worker.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    worker.send_signal(how)
    worker.wait(30)
