"""A candidate that is better is promoted on fresh samples; one that is not is refused, and the log says why."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

from environments.world import Offer
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.solving import Solver
from evals.policies.policy import Policy, Reply
from evals.promotion.bars import promises
from evals.promotion.early import enough_of
from evals.serve import Opened, Options, run_eval
from flywheel.fresh import fresh
from flywheel.promotion import Asked, Told, promote
from ingest.home import Home
from ingest.jobs.attempt import Attempt
from ingest.jobs.board import Board
from ingest.jobs.queue import job_queued
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import EventLog, open_log, publish, replay
from models.errors import TerminalError
from models.events import AnyEvent, parse
from models.events.checkpoint import CheckpointPromoted, CheckpointRefused, CheckpointRegistered
from models.events.result import EvalCompleted
from models.events.rollout import Step
from models.events.spec import EvalSpecIssued
from models.ids import event_id
from models.protocols import Judge
from models.specs import EvalSpec, Guard, ScorerSpec, TrainingSpec
from stats.gate_plan import Wanted
from transforms.specs.publish import issue
from transforms.specs.sets import EPISODES, freeze, keep

BEHAVIOUR = BEHAVIOURS["missing_tool"]
KEY = "eval:made-up:behaviour"
SKILL = {"weak": 0.35, "strong": 0.85, "same": 0.35, "worse": 0.1, "trained": 0.05}
WANTED = Wanted(difference=0.3, attempts=1, looks=2)


class Sometimes:
    """Solves a share of the samples, always the same ones; fails the others as the behaviour names."""

    def __init__(self, name: str, share: float) -> None:
        self.name, self._share = name, share

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        drawn = hashlib.sha256(f"{self.name}{steps[0].text}".encode()).digest()[0] / 256
        plan = BEHAVIOUR.passing if drawn < self._share else BEHAVIOUR.failing[0].plan
        return Solver(self.name, plan).reply(steps, tools, seconds)


class Under:
    """The checkpoint under test, by its skill."""

    priced, parallel = False, 1

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, sample_id: str, trial: int) -> Policy:
        return Sometimes(self.name, SKILL[self.name])

    def close(self) -> None:
        pass


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        for name in SKILL:
            publish(log, [registered(name)] if name != "trained" else trained())
        live(home, log)
        yield log


def trained() -> list[AnyEvent]:
    """A checkpoint whose training promised to improve the eval."""
    spec = TrainingSpec(
        key="train:made-up:policy", evidence=("test|two",), data=freeze(EPISODES.to_frame(eager=True), EPISODES)[0],
        query="none", taxonomy="none", method="made up", role="policy", args={}, budget_s=1, must_improve=(KEY,),
        must_not_fall=(Guard(eval_key=KEY, margin=0.4),),
    )  # fmt: skip
    issued = issue(spec, 1)
    return [issued, registered("trained").model_copy(update={"spec_id": issued.spec_id})]


def registered(name: str) -> CheckpointRegistered:
    return CheckpointRegistered(
        id=event_id("registered", name), source="test", checkpoint_id=name, role="policy", method="made up"
    )


def live(home: Home, log: EventLog, count: int = 48) -> EvalSpecIssued:
    """The live eval, with a job for everybody."""
    spec = EvalSpec(
        key=KEY, evidence=("test|one",), data=freeze(EPISODES.to_frame(eager=True), EPISODES)[0], query="none",
        taxonomy="none", role="policy", scorer=ScorerSpec(name="behaviour", args={"behaviour": BEHAVIOUR.name}),
    )  # fmt: skip
    draft = issue(spec, 1)
    assert isinstance(draft, EvalSpecIssued)
    drawn = fresh(draft, "live", count)
    assert drawn
    data, content = freeze(drawn.rows, EPISODES)
    keep(home, data, content)
    event = issue(spec.model_copy(update={"data": data}), 1)
    assert isinstance(event, EvalSpecIssued)
    publish(log, [event, *(job_queued("eval", event.spec_id, name) for name in SKILL)])
    return event


def work(home: Home, log: EventLog) -> None:
    def no_judge(checkpoint_id: str) -> Judge:
        raise AssertionError(checkpoint_id)

    def opened(checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
        return Opened(Under(checkpoint_id), served=False)

    def run(attempt: Attempt) -> None:
        board = Board(log)
        board.refresh()
        assert isinstance(attempt.issued, EvalSpecIssued)
        enough = enough_of(board, attempt.issued, str(attempt.job.checkpoint_id), WANTED)
        run_eval(attempt, no_judge, open_policy=opened, options=Options(enough=enough))

    serve(log, home, {"eval": run}, once=True, settings=Settings(heartbeat_s=0.5, poll_s=0.02))


def ask(home: Home, log: EventLog, name: str, **more: object) -> Told:
    return promote(home, log, Asked(name, (KEY,), wanted=WANTED, **more), fresh)  # type: ignore[arg-type]


def decisions(log: EventLog) -> list[CheckpointPromoted | CheckpointRefused]:
    board = Board(log)
    board.refresh()
    return board.decisions


def test_the_better_one_is_promoted_and_the_others_are_refused(home: Home, log: EventLog) -> None:
    work(home, log)
    assert ask(home, log, "weak").outcome == "promoted"
    assert ask(home, log, "worse").outcome == "refused"
    opened = ask(home, log, "strong")
    assert (opened.outcome, len(opened.jobs)) == ("waiting", 2)
    assert ask(home, log, "strong").outcome == "waiting", "asking again changes nothing"
    work(home, log)
    told = ask(home, log, "strong")
    assert told.outcome == "promoted", told.said
    first, screened, promoted = decisions(log)
    assert isinstance(first, CheckpointPromoted) and first.evidence == () and first.replaces is None
    assert isinstance(screened, CheckpointRefused) and screened.place == 0 and screened.spent == 0.0
    assert isinstance(promoted, CheckpointPromoted)
    assert (promoted.replaces, promoted.lineage, promoted.place, promoted.spent) == ("weak", "policy/1", 1, 0.025)
    bars = {each.bar: each for each in promoted.evidence}
    assert bars.keys() == {"confirmed", "hack_gap"}
    assert bars["confirmed"].holds and (bars["confirmed"].low or 0) > 0
    assert bars["confirmed"].samples > 0 < bars["hack_gap"].samples
    # A promotion begins a new lineage, and its champion is who was promoted.
    assert ask(home, log, "same").outcome == "refused"
    assert decisions(log)[-1].lineage == "policy/2"


def test_fresh_samples_are_seen_by_no_look_before(home: Home, log: EventLog) -> None:
    work(home, log)
    ask(home, log, "weak")
    ask(home, log, "strong")
    board = Board(log)
    board.refresh()
    sets = {event.spec_key: event.spec.data for event in board.specs.values() if isinstance(event, EvalSpecIssued)}
    assert len(sets) == 2
    ids = [set(pl.read_parquet(home.sets / f"{data.sha256}.parquet")["sample_id"]) for data in sets.values()]
    assert not ids[0] & ids[1]
    confirmed = next(event.spec for event in board.specs.values() if event.spec_key.startswith("confirm:"))
    assert isinstance(confirmed, EvalSpec) and confirmed.confirms
    assert confirmed.data.rows == max(confirmed.confirms.looks + confirmed.confirms.hack_looks)


def test_a_hopeless_candidate_is_not_asked_everything(home: Home, log: EventLog) -> None:
    ask(home, log, "weak")
    work(home, log)
    results = {
        event.checkpoint_id: event
        for record in replay(log, "results")
        if isinstance(event := parse(record.value, record.headers), EvalCompleted)
    }
    assert {name for name, event in results.items() if event.stopped_early} == {"trained"}
    assert results["trained"].scored < results["weak"].scored == 48
    # What its training promised is held against it, without being said again.
    told = promote(home, log, Asked("trained", wanted=WANTED), fresh)
    assert told.outcome == "refused" and "unlikely to be 30 points better" in told.said


def test_a_bar_is_an_eval_that_workers_ask_and_stands_once(home: Home, log: EventLog) -> None:
    board = Board(log)
    board.refresh()
    candidate = board.checkpoints["trained"]
    assert [(each.kind, each.key) for each in promises(board, candidate)] == [("improves", KEY)]
    [event] = [event for event in board.specs.values() if isinstance(event, EvalSpecIssued)]
    for key, scorer, why in (
        ("bench:desk:v1", "behaviour", "bench run"),
        ("eval:tasks-x:policy", "task_tests", "tasks"),
    ):
        spec = event.spec.model_copy(update={"key": key, "scorer": ScorerSpec(name=scorer, args={})})
        publish(log, [issue(spec, 1)])
        board.refresh()
        with pytest.raises(TerminalError, match=why):
            promises(board, candidate, (), {key: 0.02})


def test_what_is_missing_is_named(home: Home, log: EventLog) -> None:
    with pytest.raises(TerminalError, match="no checkpoint 'nobody' counts"):
        ask(home, log, "nobody")
    assert ask(home, log, "weak").outcome == "promoted"
    with pytest.raises(TerminalError, match="no result yet of strong on eval:made-up:behaviour"):
        ask(home, log, "strong")
    with pytest.raises(TerminalError, match="champion of its role"):
        ask(home, log, "weak")
    with pytest.raises(TerminalError, match="nothing says what strong must improve"):
        promote(home, log, Asked("strong"), fresh)
    with pytest.raises(TerminalError, match="no live eval 'eval:none'"):
        promote(home, log, Asked("strong", ("eval:none",)), fresh)


def test_more_samples_than_a_team_pays_for_are_not_asked(home: Home, log: EventLog) -> None:
    work(home, log)
    ask(home, log, "weak")
    with pytest.raises(TerminalError, match="more than --most 3"):
        ask(home, log, "strong", most=3)
    assert len(decisions(log)) == 1
