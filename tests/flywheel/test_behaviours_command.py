"""`flywheel evals behaviours`: the table, the proof, and samples as a file."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from evals.behaviours.episode import run_episode
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.solving import Solver
from flywheel.cli import cli
from models.errors import TerminalError


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, ["evals", "behaviours", *words])


def test_the_table_names_every_behaviour_and_its_ways_to_fail() -> None:
    lines = invoke().stdout.splitlines()
    for name, behaviour in BEHAVIOURS.items():
        row = next(line for line in lines if line.split()[:1] == [name])
        assert behaviour.wanted in row
        assert all(failing.name in row for failing in behaviour.failing)


def test_the_proof_says_by_which_check_each_solver_fails() -> None:
    done = invoke("incident_triage", "--run", "--samples", "3")
    assert done.exit_code == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["incident_triage", "3", "passing", "3/3", "3/3"] in rows
    assert ["blames_the_loudest", "0/3", "3/3", "named_the_cause", "3/3"] in rows
    told = json.loads(invoke("incident_triage", "--run", "--samples", "3", "--json").stdout)
    assert [each["passed"] for each in told["incident_triage"]] == [3, 0, 0, 0, 0, 0]


def test_samples_are_written_as_lines_that_can_be_played(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    done = invoke("interruption", "--samples", "4", "--seed", "x", "--difficulty", "1", "--out", str(file))
    assert "4 samples" in done.stdout
    lines = file.read_text().splitlines()
    assert {json.loads(line)["difficulty"] for line in lines} == {1.0}
    solver = Solver("passing", BEHAVIOURS["interruption"].passing)
    assert [run_episode(line, solver, 60.0).strict for line in lines] == [1.0] * 4


def test_a_name_that_is_none_is_told() -> None:
    done = invoke("politeness")
    assert isinstance(done.exception, TerminalError)
    assert "'politeness'; known: follows_skills" in str(done.exception)
