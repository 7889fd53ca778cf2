"""`flywheel room` on a repository: nothing of its past inside, and all of it back after a session in place."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from models.errors import TerminalError
from tests.evals.harness.conftest import small_package


@pytest.fixture
def repository(rooms: None, tmp_path: Path) -> Path:
    repo = small_package(tmp_path / "repo")
    name = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "-A"], [*name, "commit", "-qm", "the secret past"]):
        subprocess.run(["git", "-C", str(repo), *words], check=True)
    return repo


@pytest.mark.parametrize("how", [[], ["--in-place"]])
def test_a_command_finds_no_history_and_it_is_there_again_afterwards(repository: Path, how: list[str]) -> None:
    script = "git log --format=%s 2>&1; ls; python -c 'import pieces.core'; touch made"
    done = CliRunner().invoke(cli, ["room", "open", str(repository), *how, "--", "sh", "-c", script])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "the secret past" not in done.output
    assert "pyproject.toml" in done.output
    assert (repository / "made").exists() == bool(how)
    log = ["git", "-C", str(repository), "log", "--format=%s"]
    assert subprocess.run(log, capture_output=True, text=True, check=True).stdout == "the secret past\n"


def test_who_may_be_reached_is_a_name(repository: Path) -> None:
    done = CliRunner().invoke(cli, ["room", "open", str(repository), "--allow", "10.0.0.1", "--", "true"])
    assert isinstance(done.exception, TerminalError)
    assert "--allow 10.0.0.1" in str(done.exception)


def test_there_may_be_nothing_to_recover(repository: Path) -> None:
    assert "nothing to recover" in CliRunner().invoke(cli, ["room", "recover", str(repository)]).output
