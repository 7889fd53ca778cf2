import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from evals.agents import Cue, Say, Script
from evals.agents.agent import Ended
from evals.agents.command import Command
from evals.agents.rollout import commands, recorded
from evals.agents.scripted import Scripted, call, say
from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.room import Limits
from evals.policies.policy import Reply
from models.errors import TerminalError
from models.events.rollout import RolloutRecorded, Step, ToolCall


@pytest.fixture
def tree(rooms: None, tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("one = 1\n")
    return tmp_path


def test_a_command_gets_folder_and_instructions(tree: Path) -> None:
    agent = Command(["sh", "-c", 'cd "$0" && echo "two = 2" >> a.py && echo "$1"', "{workdir}", "{instructions}"])
    with open_room(tree) as room:
        ended = agent.run(room, "Add 'two';\n$(touch no)", Script())
        assert (room.tree / "a.py").read_text() == "one = 1\ntwo = 2\n"
        assert not (room.tree / "no").exists()
    assert (ended.outcome, ended.steps[-1].text) == ("finished", "Add 'two';\n$(touch no)\n")


def test_a_command_may_tell_its_steps(tree: Path) -> None:
    step = Step(role="assistant", calls=(ToolCall(tool="bash", arguments='{"command": "git log"}'),))
    agent = Command(
        ["sh", "-c", 'echo "$0" > steps; echo nonsense >> steps', step.model_dump_json()], steps_file="steps"
    )
    with open_room(tree) as room:
        ended = agent.run(room, "Go.", Script())
    assert (ended.steps[1], ended.tools) == (step, ("bash",))
    assert commands(ended.steps)[0].text == "git log"


@pytest.mark.parametrize(
    ("command", "outcome", "detail"),
    [
        ("exit 4", "failed", "exit code 4"),
        ("no-such-program", "failed", "exit code 127"),
        ("while :; do :; done", "timed_out", "timed out"),
        ("sleep 30 & sleep 30", "timed_out", "timed out"),
        ("yes", "failed", "too much output"),
        ("python3 -c 'x = bytearray(10**9); x[::4096] = b\"1\" * len(x[::4096])'", "failed", "out of memory"),
        (
            "dd if=/dev/zero of=big1 bs=1M count=30; dd if=/dev/zero of=big2 bs=1M count=30; sleep 5",
            "failed",
            "out of disk",
        ),
    ],
)
def test_an_agent_that_goes_wrong_has_an_outcome(tree: Path, command: str, outcome: str, detail: str) -> None:
    limits = Limits(seconds=1.5, memory_mb=200, processes=30, file_mb=40, disk_mb=40, output_mb=1)
    with open_room(tree, limits=limits) as room:
        ended = Command(["sh", "-c", command]).run(room, "Go.", Script())
        assert (ended.outcome, ended.detail) == (outcome, detail)
        assert len(ended.steps[-1].text or "") < 30_000


def test_an_agent_that_forks_without_end_is_over(tree: Path) -> None:
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    with open_room(tree, limits=Limits(seconds=1.5, processes=30)) as room:
        ended = Command(["python3", "-c", bomb]).run(room, "Go.", Script())
        assert ended.outcome in ("timed_out", "failed")
        assert room.run(["echo", "alive"]).stdout == b"alive\n"


def test_a_command_can_not_be_interrupted(tree: Path) -> None:
    script = Script(cues=(Cue(at_step=0, do=Say(text="hi")),))
    with open_room(tree) as room, pytest.raises(TerminalError, match="no script can interrupt"):
        Command(["true"]).run(room, "Go.", script)
    with pytest.raises(TerminalError, match="no words"):
        Command([])


def test_a_shell_command_that_never_ends_costs_only_itself(tree: Path) -> None:
    agent = Scripted([call("shell", command="sleep 60", seconds=0.5), call("shell", command="echo hi"), say("done")])
    with open_room(tree) as room:
        ended = agent.run(room, "Go.", Script())
    assert "timed out" in (ended.steps[2].text or "")
    assert ended.steps[4].text == "hi\n"
    assert ended.outcome == "finished"


def test_a_room_that_is_gone_fails_the_rollout(tree: Path) -> None:
    agent = Scripted([call("shell", command="true")])
    with open_room(tree) as room:
        room.close()
        ended = agent.run(room, "Go.", Script())
    assert ended.outcome == "failed"
    assert "the world" in ended.detail


def test_calls_of_one_reply_are_answered_in_order(tree: Path) -> None:
    both = Reply(None, tuple(ToolCall(tool="shell", arguments=json.dumps({"command": f"echo {n}"})) for n in (1, 2)))
    with open_room(tree) as room:
        ended = Scripted([both]).run(room, "Go.", Script())
    assert [(step.text, step.call_id) for step in ended.steps[2:4]] == [("1\n", "call-1-0"), ("2\n", "call-1-1")]


def test_long_answers_lose_their_middle(tree: Path) -> None:
    with open_room(tree) as room:
        ended = Scripted([call("shell", command="seq 100000")]).run(room, "Go.", Script())
    told = ended.steps[2].text or ""
    assert told.startswith("1\n2\n")
    assert told.endswith("100000\n")
    assert "characters left out" in told
    assert len(told) < 21_000


def test_a_rollout_is_the_same_event_each_time() -> None:
    ended = Ended("timed_out", "seconds", (Step(role="user", text="Go."),), ("shell",), 3.5)
    events = [
        recorded(ended, run_id="r", task_id="task-1", agent="a", trial=2, checkpoint_id="c", reward=0.0)
        for _ in range(2)
    ]
    assert events[0] == events[1]
    assert (events[0].outcome, events[0].outcome_detail, events[0].trial) == ("timed_out", "seconds", 2)
    assert recorded(ended, run_id="r", task_id="task-1", agent="a", trial=3).id != events[0].id
    again = RolloutRecorded.model_validate_json(events[0].model_dump_json())
    assert again == events[0]


def test_commands_leave_out_what_was_written() -> None:
    steps = (
        Step(role="assistant", calls=(ToolCall(tool="write", arguments='{"path": "a.py", "text": "git reflog"}'),)),
        Step(role="assistant", calls=(ToolCall(tool="shell", arguments="{broken git reflog"),)),
    )
    assert [(said.step, said.text) for said in commands(steps)] == [(0, "a.py"), (1, "{broken git reflog")]


@pytest.mark.parametrize("when", [{}, {"at_step": 1, "on_tool": "shell"}, {"at_step": -1}])
def test_a_cue_needs_one_moment(when: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Cue.model_validate({**when, "do": {"kind": "say", "text": "hi"}})


def test_a_script_is_plain_json() -> None:
    script = Script(cues=(Cue(on_tool="shell", do=Say(text="hi")),), answers=("yes",))
    assert Script.model_validate_json(script.model_dump_json()) == script
