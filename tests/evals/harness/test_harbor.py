"""A task for Harbor: its own model takes the folder, and what verifies there tells gold from cut."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evals.tasks.export.harbor import write_harbor
from evals.tasks.folder import read
from tests.evals.harness.peer import installed

LOAD = """
import json, sys, types, typing
import typing_extensions
typing.override = getattr(typing, "override", typing_extensions.override)
at = sys.argv[1]
sys.path.insert(0, at)
for name in ("harbor", "harbor.models", "harbor.utils"):
    module = types.ModuleType(name)
    module.__path__ = [f"{at}/{name.replace('.', '/')}"]
    sys.modules[name] = module
from harbor.models.task.task import Task
task = Task(sys.argv[2])
assert Task.is_valid_dir(sys.argv[2])
config = task.config
print(json.dumps({
    "name": task.name, "instruction": task.instruction, "metadata": config.metadata,
    "network": config.environment.network_mode.value, "verifier": config.verifier.environment_mode.value,
}))
"""
"""Its task model alone: all of Harbor wants a newer Python."""


@pytest.fixture(scope="module")
def folder(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    task = next(path for path in sorted(made.iterdir()) if (path / "task.json").exists())
    return write_harbor(read(task), tmp_path_factory.mktemp("harbor"))


def test_harbors_own_model_takes_the_folder(folder: Path) -> None:
    at = installed("harbor-0.25.0", "harbor==0.25.0", "toml==0.10.2", target=True, python="3.12")
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(at), str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["name"] == f"flywheel/{folder.name}"
    assert said["instruction"] == (folder / "instruction.md").read_text()
    assert said["metadata"]["package"] == "pieces"
    assert (said["network"], said["verifier"]) == ("no-network", "separate")


@pytest.mark.parametrize("solved", [True, False])
def test_what_verifies_there_tells_gold_from_cut(folder: Path, tmp_path: Path, solved: bool) -> None:
    work = tmp_path / "work"
    shutil.copytree(folder / "environment/tree", work)
    shutil.copytree(folder / "tests/pristine", work, dirs_exist_ok=True)
    if solved:
        shutil.copytree(folder / "solution/gold", work, dirs_exist_ok=True)
    command = [sys.executable, "-m", "evals.tasks.inside.check", str(folder / "tests/told.json"), str(work)]
    environment = {**os.environ, "PYTHONPATH": str(folder / "tests/checker")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == (0 if solved else 1), done.stdout + done.stderr
    assert ("tests pass" in done.stdout) == solved


def test_nothing_of_the_answer_is_in_what_an_agent_gets(folder: Path) -> None:
    gold = {path.relative_to(folder / "solution/gold"): path for path in (folder / "solution/gold").rglob("*.py")}
    assert gold
    for path, file in gold.items():
        assert (folder / "environment/tree" / path).read_text() != file.read_text()
    given = [path.name for path in (folder / "environment").rglob("*") if path.is_file()]
    assert "told.json" not in given
    assert not [name for name in given if name.endswith(".pyc") or name.startswith(".git")]
