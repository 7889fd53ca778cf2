import json

import pytest
from click.testing import CliRunner

from flywheel.commands.eval_plan import plan


def told(*words: str) -> str:
    done = CliRunner().invoke(plan, words)
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_samples_and_what_they_see_are_two_sides_of_one_plan() -> None:
    wanted = json.loads(told("--difference", "0.05", "--json"))["samples"]
    assert json.loads(told("--samples", str(wanted), "--json"))["sees"] == pytest.approx(0.05, abs=2e-4)
    assert f"{wanted} samples x 5 see 5 points with power 80%" == told("--difference", "0.05")


def test_too_few_repositories_are_said_to_be() -> None:
    said = told("--difference", "0.04", "--clusters", "5")
    assert said.startswith("undecidable with 5 repositories: power ")
    assert json.loads(told("--difference", "0.04", "--clusters", "5", "--json"))["samples"] is None
