"""`flywheel tasks` from a repository to results: generated, certified, tried, attempted, graded, withdrawn."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evals.tasks.folder import contents, lay, read
from evals.tasks.store import find, task_ids
from flywheel.cli import cli
from ingest.home import Home
from ingest.log import open_log, publish, replay
from models.errors import TerminalError
from models.events import parse
from models.events.checkpoint import CheckpointRegistered
from models.events.result import EvalCompleted
from models.events.rollout import RolloutRecorded
from models.events.spec import EvalSpecIssued, TrainingSpecIssued
from models.events.task import TaskCertified, TaskGraded, TaskWithdrawn
from tests.evals.harness.conftest import small_package


def flywheel(home: Path, *words: str, code: int = 0, typed: str | None = None) -> Result:
    done = CliRunner().invoke(cli, ["tasks", *words, "--home", str(home)], input=typed)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def events(home: Path, topic: str) -> list[object]:
    with open_log(None, home) as log:
        return [parse(record.value) for record in replay(log, topic)]


@pytest.fixture(scope="module")
def home(rooms: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tasks")
    repo = small_package(path / "repo")
    words = ("--want", "2", "--kind", "function", "--agent", "cat {workdir}/pyproject.toml", "--trials", "1")
    said = flywheel(path / "home", "generate", str(repo), *words).output
    assert said.startswith("2 tasks of pieces 1.2 in ")
    return path / "home"


def solved(home: Path, task_id: str, into: Path) -> Path:
    parts = read(find(Home(home), task_id))
    lay(contents(parts.tree) | contents(parts.gold), into)
    return into


def test_what_was_made_is_certified_and_specs_are_issued_with_sides_apart(home: Path) -> None:
    certified = [event for event in events(home, "tasks") if isinstance(event, TaskCertified)]
    assert sorted(event.task_id for event in certified) == task_ids(Home(home))
    assert all(event.mutants_killed >= 0.6 * event.mutants > 0 for event in certified)
    specs = [event.spec for event in events(home, "specs") if isinstance(event, EvalSpecIssued | TrainingSpecIssued)]
    evidence = [key for spec in specs for key in spec.evidence]
    assert sorted(evidence) == sorted(f"{event.source}|{event.id}" for event in certified)


def test_list_and_show_say_what_is_asked_and_not_how(home: Path) -> None:
    listed = json.loads(flywheel(home, "list", "--json").output)
    assert [each["task_id"] for each in listed] == task_ids(Home(home))
    assert [each["difficulty"]["pass_rate"] for each in listed] == [0.0, 0.0]
    first = listed[0]["task_id"]
    shown = flywheel(home, "show", first[:12]).output
    assert "raise NotImplementedError" in shown
    assert "+++ b/pieces/core.py" not in shown
    assert "+++ b/pieces/core.py" in flywheel(home, "show", first, "--gold").output
    unknown = CliRunner().invoke(cli, ["tasks", "show", "task-nope", "--home", str(home)])
    assert isinstance(unknown.exception, TerminalError)


def test_grading_a_finished_tree_gives_scores_and_evidence(home: Path, tmp_path: Path) -> None:
    task = task_ids(Home(home))[0]
    good = solved(home, task, tmp_path / "good")
    found = json.loads(flywheel(home, "grade", task, "--tree", str(good), "--json").output)
    assert (found["strict"], found["lenient"]) == (1.0, 1.0)
    bad = tmp_path / "bad"
    lay(contents(read(find(Home(home), task)).tree), bad)
    (bad / "conftest.py").write_text(
        "import pytest\n\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    report.outcome = 'passed'\n    return report\n"
    )
    said = flywheel(home, "grade", task, "--tree", str(bad), "--checkpoint", "small", code=1).output
    assert "strict 0, lenient 1" in said
    assert "cheat: " in said
    (graded,) = (event for event in events(home, "tasks") if isinstance(event, TaskGraded))
    assert (graded.checkpoint_id, graded.strict, graded.lenient) == ("small", 0.0, 1.0)
    assert any(wire.severity == "cheat" for wire in graded.tripped)


def test_a_person_may_try_it_in_the_room(home: Path, tmp_path: Path) -> None:
    task = task_ids(Home(home))[0]
    said = flywheel(
        home, "try", task, "--into", str(tmp_path / "mine"), "--command", "sh", typed="echo hi > note.txt\n"
    )
    assert "kept in" in said.output
    assert (tmp_path / "mine/note.txt").read_text() == "hi\n"


def test_an_agent_attempts_the_tasks_of_a_job_and_results_are_kept(home: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(home, tmp_path / "home", symlinks=True)
    script = "import pathlib; print('I give up'); pathlib.Path('notes.txt').write_text('hard')"
    said = flywheel(copy, "attempt", task_ids(Home(copy))[0], "--agent", f'python3 -c "{script}" {{workdir}}').output
    assert "finished" in said
    assert "strict 0" in said
    with open_log(None, copy) as log:
        publish(log, [CheckpointRegistered(id="c", source="t", checkpoint_id="large", role="policy", method="served")])
    for words in (["sink", "--once"], ["build"], ["specs", "publish"]):
        done = CliRunner().invoke(cli, [*words, "--home", str(copy)])
        assert done.exit_code == 0, (words, done.output, done.exception)
    flywheel(copy, "serve", "--once", "--agent", "cat {workdir}/pyproject.toml")
    (ended,) = (event for event in events(copy, "results") if isinstance(event, EvalCompleted))
    assert (ended.checkpoint_id, ended.metric, ended.value, ended.scored) == ("large", "strict", 0.0, 2)
    graded = [event for event in events(copy, "tasks") if isinstance(event, TaskGraded) and event.job_id]
    rollouts = {event.rollout_id for event in events(copy, "responses") if isinstance(event, RolloutRecorded)}
    assert len(graded) == 2
    assert {event.rollout_id for event in graded} <= rollouts


def test_a_task_that_no_longer_certifies_is_withdrawn(home: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(home, tmp_path / "home", symlinks=True)
    first, second = task_ids(Home(copy))
    assert "certified: " in flywheel(copy, "certify", first, "--quick").output
    folder = copy / "tasks" / second
    task = json.loads((folder / "task.json").read_text())
    task["pass_to_pass"] = [*task["pass_to_pass"], *task["fail_to_pass"][:1]]
    (folder / "task.json").write_text(json.dumps(task))
    said = flywheel(copy, "certify", second, "--quick", code=1).output
    assert f"{second} withdrawn: " in said
    (gone,) = (event for event in events(copy, "tasks") if isinstance(event, TaskWithdrawn))
    assert gone.task_id == second
