"""A task of ours runs with Inspect, on a model that is a script, and Inspect's log comes back in as events."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.importers import IMPORTERS, find
from ingest.importers.detect import detect
from ingest.importers.run import import_file
from ingest.log import open_log, replay
from models.events import parse
from models.events.result import EvalReported
from models.events.rollout import RolloutRecorded
from models.events.task import TaskGraded
from tests.evals.harness.peer import installed

ROOT = Path(__file__).parents[3]
RUN = """
import sys
from pathlib import Path
from inspect_ai import eval as run
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from evals.tasks.export.inspect_task import flywheel_tasks
from evals.tasks.folder import contents, read

folder, logs = sys.argv[1:3]
first, second = sorted(path.parent for path in Path(folder).glob("*/task.json"))
said = []
for path, content in contents(read(first).gold).items():
    command = f"cat > {path} <<'END_OF_IT'\\n{content.decode()}\\nEND_OF_IT\\n"
    said.append(ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command}))
said.append(ModelOutput.for_tool_call("mockllm/model", "bash", {"command": "ls -a; git log; cat /etc/resolv.conf"}))
said += [ModelOutput.from_content("mockllm/model", "done"), ModelOutput.from_content("mockllm/model", "too hard")]
for each in said:
    each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
model = get_model("mockllm/model", custom_outputs=said)
(log,) = run(
    flywheel_tasks(folder), model=model, log_dir=logs, log_format="json", display="none", max_samples=1,
    max_connections=1,
)
assert log.status == "success", log.error
"""


@pytest.fixture(scope="module")
def log_file(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    peer = installed("inspect-ai-0.3.285", "inspect-ai==0.3.285", "pytest==9.2.0")
    logs = tmp_path_factory.mktemp("inspect")
    done = subprocess.run(
        [str(peer / "bin/python"), "-c", RUN, str(made), str(logs)], capture_output=True, text=True, check=False,
        cwd=ROOT, env={"PATH": "/usr/bin:/bin", "HOME": str(logs), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (found,) = logs.glob("*.json")
    return found


def test_a_solved_and_an_unsolved_task_come_back_as_rollouts_grades_and_a_number(
    log_file: Path, tmp_path: Path
) -> None:
    home = Home.open(tmp_path / "home")
    with open_log(None, home.path) as log:
        account = import_file(log, home, find("inspect"), log_file, {})
        assert (account.accepted, account.refused) == (3, 0)
        events = [parse(record.value) for topic in ("responses", "results", "tasks") for record in replay(log, topic)]
    grades = {event.task_id: event for event in events if isinstance(event, TaskGraded)}
    assert Counter(grade.strict for grade in grades.values()) == {1.0: 1, 0.0: 1}
    rollouts = {event.rollout_id: event for event in events if isinstance(event, RolloutRecorded)}
    assert {grade.rollout_id for grade in grades.values()} == set(rollouts)
    solved = next(grade for grade in grades.values() if grade.strict)
    calls = [call for step in rollouts[str(solved.rollout_id)].steps for call in step.calls]
    assert [call.tool for call in calls] == ["bash", "bash"]
    looked = next(
        step
        for step in rollouts[str(solved.rollout_id)].steps
        if "pyproject.toml" in (step.text or "") and step.role == "tool"
    )
    assert "not a git repository" in str(looked.text) or ".git" not in str(looked.text)
    (reported,) = (event for event in events if isinstance(event, EvalReported))
    assert (reported.benchmark, reported.metric, reported.value) == ("inspect/flywheel_tasks", "strict/accuracy", 0.5)


def test_the_log_is_told_by_its_look(log_file: Path) -> None:
    assert detect(log_file, IMPORTERS.values()).name == "inspect"
