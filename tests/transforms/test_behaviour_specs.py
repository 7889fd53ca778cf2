"""Failure modes become behaviour evals: from a build of the bundled sample, on the eval side, with worlds to act in."""

from collections.abc import Callable
from typing import Any

import pytest

from evals.behaviours.episode import run_episode
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.sample import parse_sample
from evals.behaviours.solving import Solver
from flywheel.behaviour_specs import SAMPLES, behaviour_candidates, hardness, samples_for
from ingest.jobs.board import Board
from ingest.jobs.samples import read_samples
from ingest.log import open_log
from ingest.reader import reading
from models.events.checkpoint import CheckpointRegistered
from models.specs import EvalSpec
from transforms.specs.candidates import Candidate
from transforms.specs.publish import publish_specs, wanted
from transforms.specs.sets import keep


@pytest.fixture(scope="module")
def candidates(sampled: Any) -> list[Candidate]:
    with reading(sampled.home) as ask:
        return behaviour_candidates(ask, "taxonomy-1")


def test_every_seeded_behaviour_is_one_that_there_is(sampled: Any) -> None:
    named = {name for (name,) in sampled.ask("select behaviour from mode_behaviours")}
    assert named == set(BEHAVIOURS)


def test_a_mode_with_evidence_enough_asks_for_an_eval_on_its_side(sampled: Any, candidates: list[Candidate]) -> None:
    ready = sampled.ask("select spec_key, reports from sync_behaviour_specs where ready order by spec_key")
    assert ready, "the sample has no such mode"
    assert [(each.spec.key, len(each.spec.evidence)) for each in candidates] == ready
    sides = dict(sampled.ask("select event_key, side from int_evidence"))
    for spec, _ in candidates:
        assert {sides[key] for key in spec.evidence} == {"eval"}
    waiting = sampled.ask("select reason from sync_behaviour_specs where not ready")
    assert all("too few" in reason or "one author" in reason for (reason,) in waiting)


def test_its_frozen_set_holds_samples_that_are_played_from_it(sampled: Any, candidates: list[Candidate]) -> None:
    spec, content = candidates[0]
    assert isinstance(spec, EvalSpec)
    keep(sampled.home, spec.data, content)
    samples = read_samples(sampled.home, spec.data)
    assert len({sample.sample_id for sample in samples}) == SAMPLES
    assert {sample.mode_id for sample in samples} == {spec.mode_id}
    names = str(spec.scorer.args["behaviour"]).split("+")
    for sample in samples[:5]:
        assert sample.episode is not None
        behaviour = BEHAVIOURS[parse_sample(sample.episode).behaviour]
        assert behaviour.name in names
        assert run_episode(sample.episode, Solver("passing", behaviour.passing), 60.0).strict == 1.0


def test_the_same_build_asks_for_the_same_specs(sampled: Any, candidates: list[Candidate]) -> None:
    with reading(sampled.home) as ask:
        again = behaviour_candidates(ask, "taxonomy-1")
    assert [each.spec.spec_id() for each in again] == [each.spec.spec_id() for each in candidates]
    assert [each.content for each in again] == [each.content for each in candidates]


def test_samples_are_shared_out_and_those_of_another_look_are_fresh() -> None:
    first = samples_for("eval:context_memory:behaviour", ["interruption", "long_horizon"], 7)
    assert [sample.behaviour for sample in first] == ["interruption"] * 4 + ["long_horizon"] * 3
    fresh = samples_for("eval:context_memory:behaviour", ["interruption", "long_horizon"], 7, look=1)
    assert {sample.sample_id for sample in first}.isdisjoint(sample.sample_id for sample in fresh)
    hard = samples_for("eval:context_memory:behaviour", ["interruption"], 3, difficulty=1.0)
    assert {sample.difficulty for sample in hard} == {1.0}


def test_what_was_mastered_is_followed_by_harder_and_fresh_samples() -> None:
    assert [hardness(times) for times in range(4)] == [None, 0.75, 1.0, 1.0]
    looks = [samples_for("eval:tool_use:behaviour", ["tool_discovery"], 5, hardness(times), times) for times in (2, 3)]
    first, second = ({sample.sample_id for sample in samples} for samples in looks)
    assert first.isdisjoint(second)


def test_they_are_issued_once_and_queued_for_checkpoints_that_can_act(
    sampled: Any, new_lab: Callable[[str], Any]
) -> None:
    """A product's own policy, of which recorded answers alone are known, is not asked to act."""
    lab = new_lab("behaving")
    lab.home.warehouse.symlink_to(sampled.home.warehouse.resolve())
    model, recorded = (
        CheckpointRegistered(
            id=name, source="test", checkpoint_id=name, role="policy", method=method, path=path
        )
        for name, method, path in (("model", "sft", "checkpoints/model"), ("recorded", "served", None))
    )  # fmt: skip
    with open_log(None, lab.home.path) as log:
        first = publish_specs(lab.home, log, (model, recorded), more=behaviour_candidates)
        assert first.issued > publish_specs(lab.home, log, ()).issued == 0
        board = Board(log)
        board.refresh()
        specs = [event for event in board.specs.values() if event.spec_key.endswith(":behaviour")]
        assert specs
        ids = {event.spec_id for event in specs}
        asked = [(job.spec_id, job.checkpoint_id) for job in wanted(board, 90.0) if job.spec_id in ids]
        assert sorted(asked) == sorted((spec_id, "model") for spec_id in ids)
        # What is cheap is asked first: a worker takes the oldest job.
        order = [job.spec_id in ids for job in board.jobs.values() if job.checkpoint_id == "model"]
        assert order == sorted(order) and not all(order)
