"""Every behaviour has its samples, a solver that passes them, and three at least that fail as the behaviour says."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from evals.behaviours.behaviour import Behaviour
from evals.behaviours.episode import play, run_episode
from evals.behaviours.generate import generate
from evals.behaviours.proof import prove
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.sample import parse_sample
from evals.behaviours.solving import Solver, View, found

N = 20
each_behaviour = pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=list(BEHAVIOURS))


@each_behaviour
def test_the_passing_solver_passes_and_the_others_fail_by_the_check_that_they_name(behaviour: Behaviour) -> None:
    passing, *failing = prove(behaviour, generate(behaviour, "proof", N))
    assert (passing.passed, passing.lenient, passing.as_named) == (N, N, N), passing.odd
    assert len(failing) >= 3
    for tried in failing:
        assert (tried.solver, tried.passed, tried.as_named) == (tried.solver, 0, N), tried.odd
        assert tried.names and tried.failed[tried.names] == N
    assert len({tried.names for tried in failing}) >= 2, "they all fail in one way"


@each_behaviour
def test_every_check_of_its_rubric_is_broken_by_some_solver(behaviour: Behaviour) -> None:
    checks = {check.name for sample in generate(behaviour, "checks", 10) for check in sample.rubric}
    broken = {name for failing in behaviour.failing for name in (failing.fails, *failing.also)}
    assert broken == checks


@each_behaviour
def test_doing_nothing_and_saying_so_is_a_failure(behaviour: Behaviour) -> None:
    for sample in generate(behaviour, "idle", 5):
        result = play(sample, Solver("idle", lambda view: "All of it is done."), 60.0)
        assert (result.strict, result.lenient, result.fault) == (0.0, 0.0, None)


@each_behaviour
def test_talking_alone_is_a_failure_whatever_is_said(behaviour: Behaviour) -> None:
    def everything(view: View) -> str:
        tools = ", ".join(f"{tool.name}: {tool.description}" for tool in view.tools.values())
        return f"Done: {' '.join(view.words)} {tools} {' '.join(map(str, range(1000)))}."

    for sample in generate(behaviour, "talk", 5):
        result = play(sample, Solver("talks", everything), 60.0)
        assert (result.strict, result.fault) == (0.0, None)


@each_behaviour
def test_samples_differ_in_more_than_their_numbers(behaviour: Behaviour) -> None:
    samples = generate(behaviour, "words", 100)
    shapes = {re.sub(r"[A-Z]*-?\d+", "#", sample.model_dump_json()) for sample in samples}
    assert len(shapes) == 100


@each_behaviour
def test_two_hundred_fresh_samples_on_demand(behaviour: Behaviour) -> None:
    first, second = generate(behaviour, "a", 200), generate(behaviour, "b", 200)
    ids = {sample.sample_id for sample in first}
    assert len(ids) == 200
    assert ids.isdisjoint(sample.sample_id for sample in second)
    assert [sample.sample_id for sample in generate(behaviour, "a", 30)] == [each.sample_id for each in first[:30]]
    clusters = Counter(sample.cluster for sample in first)
    assert len(clusters) >= 10
    assert max(clusters.values()) < 50, "one template has a quarter of all samples"


@each_behaviour
def test_the_dial_changes_the_work(behaviour: Behaviour) -> None:
    calls = [prove(behaviour._replace(failing=()), generate(behaviour, "dial", 8, hard))[0] for hard in (0.0, 0.5, 1.0)]
    assert [tried.passed for tried in calls] == [8, 8, 8], calls
    assert calls[0].calls < calls[1].calls < calls[2].calls


@each_behaviour
def test_a_sample_is_plain_json_and_plays_the_same_from_it(behaviour: Behaviour) -> None:
    (sample,) = generate(behaviour, "json", 1)
    text = sample.model_dump_json()
    assert parse_sample(text) == sample
    assert json.loads(text)["behaviour"] == behaviour.name
    once, again = (run_episode(text, Solver("passing", behaviour.passing), 60.0) for _ in range(2))
    assert once.strict == again.strict == 1.0
    assert [step.text for step in once.ended.steps] == [step.text for step in again.ended.steps]


@each_behaviour
def test_the_guide_names_its_ways_to_fail(behaviour: Behaviour) -> None:
    lines = (Path(__file__).parents[3] / "docs/behaviours.md").read_text().splitlines()
    (row,) = [line for line in lines if line.startswith(f"| `{behaviour.name}` |")]
    assert behaviour.wanted in row
    assert all(f"{failing.name} (`{failing.fails}`)" in row for failing in behaviour.failing)


def test_a_tool_that_goes_missing_is_fair_to_who_calls_it_for_all_at_once() -> None:
    def at_once(view: View) -> str:
        codes = found(r": ([A-Z, \d-]+)\. Write", view.instructions).split(", ")
        tool = found(r"(\w+) gives the number", view.instructions)
        counts = [answer.text for answer in view.together(tool, [{"code": code} for code in codes])]
        lines = view.together("search_files", [{"text": f"{code} "} for code in codes[1:]])
        counts[1:] = [found(r": (\d+) left", line.text) for line in lines]
        text = "\n".join(f"{code}: {count}" for code, count in zip(codes, counts, strict=True))
        view.call("write_file", path="stock.txt", text=text)
        return f"{tool} was gone after the first code, so I read the books."

    for sample in generate(BEHAVIOURS["missing_tool"], "at once", 10):
        result = play(sample, Solver("at once", at_once), 60.0)
        assert result.strict == 1.0, result.explanation
