"""Tasks and attempts from their events: who stands, what counts, and the gap that cheating makes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from models.events.task import TaskCertified, TaskGraded, TaskWithdrawn, Tripped
from transforms.build import BuildPolicy, build

SHA = "a" * 64
CHEAT = Tripped(name="test_edits", severity="cheat", where="tests/test_a.py:3", evidence="assert True")
NOTE = Tripped(name="network", severity="note", where="step 4", evidence="curl")


def certified(task: str, signature: str = "s1") -> TaskCertified:
    return TaskCertified(
        id=f"{task}-{signature}", source="flywheel", task_id=task, package="pkg", version="1.0", kind="function",
        units=("pkg.a:f",), lines=12, files=1, difficulty=0.3, fail_to_pass=2, pass_to_pass=5, hidden=20, mutants=5,
        mutants_killed=4, tree_sha256=SHA, tests_sha256=SHA, gold_sha256=SHA, hidden_sha256=SHA, signature=signature,
    )  # fmt: skip


def graded(
    name: str, task: str, strict: float | None, lenient: float | None, *tripped: Tripped, **more: Any
) -> TaskGraded:
    said: dict[str, Any] = {"checkpoint_id": "large", "rollout_id": f"roll-{name}", **more}
    return TaskGraded(id=name, source="flywheel", task_id=task, strict=strict, lenient=lenient, tripped=tripped, **said)


@pytest.fixture(scope="module")
def tasks(new_lab: Callable[[str], Any]) -> Any:
    lab = new_lab("tasks")
    lab.land(
        certified("t1"), certified("t2"), certified("t3"), certified("t1", "s2"),
        TaskWithdrawn(id="w", source="flywheel", task_id="t2", reason="flaky"),
        TaskWithdrawn(id="w3", source="flywheel", task_id="t3", reason="flaky"), certified("t3", "again"),
        graded("a", "t1", 1.0, 1.0, NOTE),
        graded("b", "t1", 0.0, 1.0, CHEAT, NOTE),
        graded("c", "t1", None, None, status="errored", reason="the room died"),
        graded("d", "t2", 0.0, 1.0, CHEAT),
        graded("e", "t3", 0.0, 0.0),
        graded("e-again", "t3", 1.0, 1.0, rollout_id="roll-e"),
        graded("zombie", "t3", 1.0, 1.0, job_id="job-1", epoch=1),
        graded("other", "t3", 0.0, 1.0, CHEAT, checkpoint_id="small"),
        graded("nobody", "t1", 0.0, 0.0, checkpoint_id=None, rollout_id=None),
        graded("nobody-2", "t1", 0.0, 0.0, checkpoint_id=None, rollout_id=None),
    )  # fmt: skip
    build(lab.home, policy=BuildPolicy(tested=True, embed=False))
    return lab


def test_a_task_stands_by_its_last_word(tasks: Any) -> None:
    rows = tasks.ask("select task_id, state, reason, certifications, signature from dim_tasks order by 1")
    assert rows == [
        ("t1", "certified", None, 2, "s2"), ("t2", "withdrawn", "flaky", 1, "s1"),
        ("t3", "certified", None, 2, "again"),
    ]  # fmt: skip
    assert tasks.ask("select attempts, pass_rate from dim_tasks where task_id = 't1'") == [(4, 0.25)]


def test_an_attempt_counts_once_by_its_last_grading_and_zombies_do_not(tasks: Any) -> None:
    rows = tasks.ask("select attempt_key, strict, gap, cheats from fct_task_attempts where task_id = 't3' order by 1")
    assert rows == [("flywheel|e-again", 1.0, 0.0, 0), ("flywheel|other", 0.0, 1.0, 1)]
    ((tripped, cheats),) = tasks.ask("select tripped, cheats from fct_task_attempts where attempt_key = 'flywheel|b'")
    assert [each["name"] for each in json.loads(tripped)] == ["test_edits", "network"]
    assert cheats == 1


def test_the_gap_is_what_exit_codes_would_have_paid_for(tasks: Any) -> None:
    rows = tasks.ask(
        "select checkpoint_id, attempts, errored, tasks, strict, lenient, gap, hacked, tripped, usual_tripwire "
        "from fct_reward_hacks order by 1"
    )
    # Of `large`: a, b and e count; c is no zero, and t2 was withdrawn.
    assert rows == [
        ("large", 3, 1, 2, pytest.approx(2 / 3), 1.0, pytest.approx(1 / 3), 1, 1, "test_edits"),
        ("small", 1, 0, 1, 0.0, 1.0, 1.0, 1, 1, "test_edits"),
        ("unknown", 2, 0, 1, 0.0, 0.0, 0.0, 0, 0, None),
    ]
