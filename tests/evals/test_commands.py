"""From a policy outside to results on the log, by the commands that a person gives."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flywheel.cli import cli
from ingest.home import Home
from ingest.jobs.samples import Sample
from ingest.log import open_log, replay
from models.errors import TerminalError
from models.events import parse
from models.events.checkpoint import CheckpointRegistered
from models.events.result import EvalCompleted
from tests.evals.answering import Answering, answering, said
from tests.ingest.jobs.frozen import eval_spec, issue, kept

SPEC = "eval:all:policy"


def flywheel(home: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--home", str(home)])


@pytest.fixture
def model() -> Iterator[Answering]:
    with answering(lambda prompt: said("two words")) as served:
        yield served


@pytest.fixture
def home(tmp_path: Path, model: Answering) -> Path:
    """A home with a spec of 12 samples, and an endpoint that it knows of."""
    home = Home.open(tmp_path / "home")
    samples = [Sample(f"s{number:02}", prompt=f"At most 2 words: {number}") for number in range(12)]
    with open_log(None, home.path) as log:
        issue(log, eval_spec(kept(home, samples), "instructions", "policy"))
    (home.path / "policies.yml").write_text(
        f"org/small: {{url: {model.url}, model: m, usd_per_million: {{prompt: 1000, completion: 1000}}}}"
    )
    return home.path


def the_end(home: Path) -> EvalCompleted:
    with open_log(None, home) as log:
        (ended,) = (event for event in map(_event, replay(log, "results")) if isinstance(event, EvalCompleted))
    return ended


def _event(record: object) -> object:
    return parse(record.value)  # type: ignore[attr-defined]


def test_a_policy_is_registered_and_run(home: Path, model: Answering) -> None:
    done = flywheel(home, "evals", "register", "org/small", "--parent", "org/base")
    assert "registered org/small: asked as policies.yml says" in done.output
    with open_log(None, home) as log:
        (event,) = (_event(record) for record in replay(log, "checkpoints"))
    assert isinstance(event, CheckpointRegistered)
    assert (event.role, event.parent_ids) == ("policy", ("org/base",))
    done = flywheel(home, "evals", "run", SPEC, "--checkpoint", "org/small", "--parallel", "3")
    assert "1 jobs completed" in done.output
    ended = the_end(home)
    assert (ended.value, ended.scored, ended.usd) == (1.0, 12, pytest.approx(1.2))
    assert model.at_once <= 3


def test_a_limit_of_money_is_given_by_hand(home: Path, model: Answering) -> None:
    flywheel(home, "evals", "register", "org/small")
    flywheel(home, "evals", "run", SPEC, "--checkpoint", "org/small", "--parallel", "1", "--max-usd", "0.3")
    ended = the_end(home)
    assert (ended.scored, ended.unasked, len(model.prompts)) == (3, 9, 3)


def test_what_nobody_can_ask_is_not_registered(home: Path) -> None:
    done = flywheel(home, "evals", "register", "org/unknown")
    assert isinstance(done.exception, TerminalError)
    assert "policies.yml" in str(done.exception)


@pytest.mark.parametrize("words", [["--max-usd", "nan"], ["--max-usd", "0"], ["--parallel", "0"], ["--seconds", "inf"]])
def test_limits_are_numbers(home: Path, words: list[str]) -> None:
    assert flywheel(home, "evals", "serve", "--once", *words).exit_code == 2
