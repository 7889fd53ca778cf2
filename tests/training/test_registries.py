"""What is registered by name is there, and costs no torch until it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from training import judges, methods
from training.judges.lexicon import BASELINE

ROOT = Path(__file__).parents[2]


def test_every_method_and_judge_can_be_loaded() -> None:
    for name in methods.METHODS:
        assert callable(methods.find(name))
    for name in judges.JUDGES:
        assert callable(judges.find(BASELINE.model_copy(update={"method": name})))


def test_every_file_of_a_method_is_registered() -> None:
    files = {path.stem for path in (ROOT / "training" / "methods").glob("*.py")} - {"__init__"}
    assert {module.rpartition(".")[2] for module in methods.METHODS.values()} == files


def test_what_is_not_there_is_named_with_what_is() -> None:
    with pytest.raises(TerminalError, match="no training method 'sft'; known: judge"):
        methods.find("sft")
    policy = CheckpointRegistered(id="p", source="s", checkpoint_id="p-1", role="policy", method="served")
    with pytest.raises(TerminalError, match="p-1 is a policy made by 'served', no judge; judges are made by: judge, l"):
        judges.find(policy)


def test_the_worker_loads_no_torch_before_it_has_a_job() -> None:
    code = "import sys, training.serve, training.judges.open, training.judges.lexicon; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
