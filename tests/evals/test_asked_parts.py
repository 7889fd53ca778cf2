"""The parts of an eval that asks: progress, crew, interval, what a judge may say, and acting in a world."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from evals.behaviours.generate import generate
from evals.behaviours.registry import behaviour
from evals.behaviours.solving import Plan, Solver
from evals.crew import crew
from evals.interval import interval_of
from evals.judging import judged
from evals.outcome import LEFT_OUT, Outcome, missing
from evals.policies.policy import Policy, Usage
from evals.policies.register import registered
from evals.progress import Progress, by_sample, chunks, load
from evals.scorers import SCORERS, JudgeScorer, Score
from evals.serve import Opened, Options, run_eval
from ingest.home import Home
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import EventLog, open_log, replay
from models.errors import TerminalError
from models.events import parse
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.rollout import RolloutRecorded
from models.protocols import Judgement
from stats.wilson import wilson
from tests.ingest.jobs.frozen import eval_spec, issue, kept


def test_progress_goes_through_a_file() -> None:
    progress = Progress(3, 2)
    assert (list(progress.open()), progress.usd) == ([0, 1, 2, 3, 4, 5], None)
    progress.add(4, Outcome(Score(0.5, "x"), usage=Usage(10, 2, 0.25)))
    progress.add(0, missing("infrastructure", "no"))
    progress.add(1, Outcome(Score(1.0, "x"), usage=Usage(10, None, 0.5)))
    progress.add(2, LEFT_OUT)
    progress.add(5, missing("budget", "no money"))
    progress.last = ["{}"]
    again = load(progress.dump(), 3, 2)
    assert vars(again) == vars(progress)
    assert (again.done, again.errored, again.unasked, list(again.open())) == (5, 2, 1, [3])
    assert (again.prompt_tokens, again.completion_tokens, again.usd) == (20, 2, 0.75)
    assert by_sample(again) == {1: [1.0, 0.5]}


@pytest.mark.parametrize("content", [b"[10, 9, 1, 4.5]", Progress(4).dump()], ids=["former", "other samples"])
def test_a_state_of_something_else_is_begun_anew(content: bytes) -> None:
    assert load(content, 3).done == 0


def test_chunks() -> None:
    assert [list(part) for part in chunks(range(5), 2)] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("size", [1, 4])
def test_a_crew_does_each_task_once_and_takes_them_as_it_is_free(size: int) -> None:
    taken: list[int] = []
    at_once = [0, 0]
    lock = threading.Lock()

    def tasks() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    def work(number: int) -> int:
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
        time.sleep(0.005)
        with lock:
            at_once[0] -= 1
        return number * number

    done: list[tuple[int, int]] = []
    with crew(work, size) as together:
        for group in together.finished(tasks(), lambda: None):
            done += group
            assert len(taken) <= len(done) + size
    assert sorted(done) == [(number, number * number) for number in range(20)]
    assert at_once[1] == size


@pytest.mark.parametrize("size", [1, 3])
def test_a_bug_in_the_work_comes_out(size: int) -> None:
    def work(number: int) -> int:
        raise ZeroDivisionError(str(number))

    with crew(work, size) as together, pytest.raises(ZeroDivisionError):
        list(together.finished(iter(range(9)), lambda: None))


def test_intervals() -> None:
    assert interval_of([]) is None
    alone = interval_of([("a", [1.0]), ("b", [0.0]), ("c", [1.0])])
    assert alone is not None
    assert (alone.method, alone[1:3]) == ("wilson", (wilson(2, 3).low, wilson(2, 3).high))
    grouped = interval_of([(f"c{place % 4}", [float(place % 4 > 1)]) for place in range(40)])
    spread = interval_of([(f"c{place}", [float(place % 4 > 1)]) for place in range(40)])
    assert grouped is not None and spread is not None
    assert (grouped.value, grouped.method, spread.method) == (0.5, "clustered", "wilson")
    assert grouped.high - grouped.low > 2 * (spread.high - spread.low)
    passed = interval_of([("a", [1.0, 1.0]), ("b", [1.0, 1.0])])
    assert passed is not None and passed.low < 1.0


class OddJudge:
    """Says what it was told to say."""

    checkpoint_id = "odd"

    def __init__(self, said: Sequence[Judgement]) -> None:
        self.said = list(said)

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        return self.said


def test_a_judge_outside_its_labels_is_a_fault_and_not_a_score() -> None:
    scorer = SCORERS["negative_feedback"]
    assert isinstance(scorer, JudgeScorer)
    samples = [Sample(f"s{place}", text="t", is_negative=True) for place in range(5)]
    said = [Judgement(value, mode, 0.5) for value, mode in ((1.4, None), (float("nan"), None), (0.9, " "), (0.9, "m"))]
    outcomes = judged(scorer, OddJudge([*said, Judgement(0.1, None, 0.0)]), samples, {})
    assert [outcome.fault for outcome in outcomes] == ["judge", "judge", "judge", None, None]
    assert [outcome.score.value for outcome in outcomes if outcome.score] == [1.0, 0.0]
    short = judged(scorer, OddJudge(said[3:]), samples, {})
    assert {outcome.fault for outcome in short} == {"judge"}


class Solvers:
    """A model under test that is a solver of a behaviour."""

    name, parallel, priced = "solver", 3, False

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def at(self, sample_id: str, trial: int) -> Policy:
        return Solver(self.name, self._plan)

    def close(self) -> None:
        pass


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        yield log


def acted(home: Home, log: EventLog, plan: Plan, options: Options) -> tuple[list[EvalSampleScored], EvalCompleted]:
    """An eval of `interruption` with a solver as the checkpoint: its results."""
    made = generate(behaviour("interruption"), seed=3, n=20)
    samples = [Sample(each.sample_id, episode=each.model_dump_json()) for each in made]
    broken = [Sample("broken", episode="{}"), Sample("empty")]
    spec = eval_spec(kept(home, samples + broken), "behaviour", "policy", {"behaviour": "interruption"})
    queue(log, "eval", issue(log, spec), "solver")

    def opened(checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
        return Opened(Solvers(plan), served=False)

    def no_judge(checkpoint_id: str) -> OddJudge:
        raise AssertionError(checkpoint_id)

    serve(
        log,
        home,
        {"eval": lambda attempt: run_eval(attempt, no_judge, open_policy=opened, options=options)},
        once=True,
        settings=Settings(heartbeat_s=0.2, poll_s=0.02),
    )
    events = [parse(record.value) for record in replay(log, "results")]
    (completed,) = (event for event in events if isinstance(event, EvalCompleted))
    return [event for event in events if isinstance(event, EvalSampleScored)], completed


def test_a_policy_acts_in_worlds_and_its_rollouts_are_kept(home: Home, log: EventLog) -> None:
    results, completed = acted(home, log, behaviour("interruption").passing, Options())
    assert (completed.metric, completed.value, completed.scored, completed.errored) == ("strict", 1.0, 20, 2)
    assert completed.interval == "clustered"
    assert {event.sample_id: event.fault for event in results if event.fault} == {
        "broken": "no_target", "empty": "no_target",
    }  # fmt: skip
    good = [event for event in results if event.status == "scored"]
    assert all(event.cluster and event.lenient == 1.0 for event in good)
    rollouts = [parse(record.value) for record in replay(log, "responses")]
    kept_ids = {event.rollout_id for event in rollouts if isinstance(event, RolloutRecorded) and event.reward == 1.0}
    assert kept_ids == {event.rollout_id for event in good}


def test_an_answer_that_is_clear_ends_the_asking(home: Home, log: EventLog) -> None:
    failing = behaviour("interruption").failing[0]

    def enough(scores: Mapping[str, Sequence[float]]) -> bool:
        return len(scores) >= 7

    results, completed = acted(home, log, failing.plan, Options(parallel=1, enough=enough))
    assert completed.stopped_early
    assert (completed.value, completed.scored, completed.unasked) == (0.0, 7, 0)
    assert any(failing.fails in str(event.explanation) for event in results)


def test_a_policy_from_outside_is_copied_and_checked(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises(TerminalError, match=r"no config\.json"):
        registered(home, "org/small", folder)
    (folder / "config.json").write_text("{}")
    event = registered(home, "org/small", folder, parents=("base",))
    assert registered(home, "org/small", folder, parents=("base",)) == event
    assert event.path is not None
    assert (home.path / event.path / "config.json").read_text() == "{}"
    with pytest.raises(TerminalError, match=r"policies\.yml"):
        registered(home, "org/large")
    (home.path / "policies.yml").write_text("org/large: {url: http://127.0.0.1:9/v1, model: m}")
    assert registered(home, "org/large").path is None
