"""What agents did: tau-bench and SWE-agent."""

import json
from typing import Any

import pytest

from ingest.importers.base import Refused
from ingest.importers.messages import ROOM, steps

TAU: dict[str, Any] = {
    "task_id": 3,
    "trial": 2,
    "reward": 0.0,
    "info": {"task": {"user_id": "mia"}, "reward_info": {"reward": 0.0, "info": {"r_actions": 0.0}}},
    "traj": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Book it."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"x": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "book", "content": "Error: no seats"},
        {"role": "assistant", "content": "There are none."},
    ],
}


def test_a_trial_of_tau_bench_has_its_reward_and_the_tool_that_failed(events_of: Any) -> None:
    served, rollout = events_of("tau-bench", TAU)
    assert (served.prompt, served.completion, served.person_id, served.tool_calls) == (
        "Book it.",
        "There are none.",
        "mia",
        1,
    )
    assert (rollout.task_id, rollout.trial, rollout.reward, rollout.outcome) == ("tau-bench/3", 2, 0.0, "finished")
    assert rollout.response_id == served.response_id
    call, answer = rollout.steps[2], rollout.steps[3]
    assert (call.calls[0].tool, call.calls[0].arguments, call.text) == ("book", '{"x": 1}', None)
    assert (answer.tool, answer.call_id, answer.is_error) == ("book", "c1", True)
    assert rollout.outcome_detail == '{"r_actions":0.0}'


def test_a_run_that_was_never_ended_ran_out_of_steps_and_runs_of_one_trial_stay_two(events_of: Any) -> None:
    endless: dict[str, Any] = {**TAU, "info": {"task": {}, "reward_info": None}, "traj": TAU["traj"][:3]}
    _, first, _, second = events_of("tau-bench", TAU, endless)
    assert (second.outcome, second.outcome_detail) == ("out_of_steps", None)
    assert first.rollout_id != second.rollout_id
    with pytest.raises(Refused, match="no messages"):
        events_of("tau-bench", {**TAU, "traj": []})


def test_a_rollout_too_large_for_the_log_keeps_its_steps_and_says_what_was_cut(place: Any) -> None:
    long = [{"role": "tool", "content": "é" * 400_000}, {"role": "assistant", "content": "done"}]
    account = place.rows("tau-bench", [{**TAU, "traj": [*TAU["traj"], *long]}])
    assert (account.accepted, account.refused) == (1, 0)
    (rollout,) = (event for event in place.events("responses") if hasattr(event, "steps"))
    assert len(rollout.steps) == 7
    assert "[cut here: 2" in rollout.steps[5].text
    assert rollout.steps[6].text == "done"


def test_cutting_takes_the_longest_texts_only() -> None:
    kept = steps([{"role": "user", "content": "short"}, {"role": "user", "content": "x" * (ROOM + 1)}])
    assert kept[0].text == "short"
    assert len(kept[1].text or "") < ROOM
    with pytest.raises(Refused, match="role 'critic' is none of"):
        steps([{"role": "critic", "content": "x"}])


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", **more}


TOOLS = [{"function": {"name": "open", "arguments": '{"path": "a.py"}'}, "id": "call_1", "type": "function"}]
OLD: dict[str, Any] = {
    "environment": "swe_main",
    "history": [
        said("system", "Shell."),
        said("user", "Here is a demonstration", is_demo=True),
        said("user", "Fix it."),
        said("assistant", "Look.\n```\nopen a.py\n```", thought="Look.", action="open a.py\n"),
        said("user", "1: x"),
        said("assistant", "Done", thought="Done", action="submit\n"),
    ],
    "trajectory": [
        {
            "action": "open a.py\n",
            "observation": "1: x",
            "response": "Look.",
            "thought": "Look.",
            "execution_time": 0.5,
        },
        {"action": "submit\n", "observation": "diff --git", "response": "Done", "thought": "Done"},
    ],
    "info": {"exit_status": "submitted (exit_cost)", "submission": "diff --git", "model_stats": {"instance_cost": 0.5}},
}
NEW: dict[str, Any] = {
    "history": [
        said("system", [{"type": "text", "text": "Shell."}], message_type="system_prompt"),
        said("user", "Fix it.", message_type="observation"),
        said("assistant", "Look.", action="open a.py", tool_calls=TOOLS, message_type="action"),
        said("tool", "1: x", tool_call_ids=["call_1"], message_type="observation"),
    ]
}


def rollout(place: Any, name: str, content: dict[str, Any]) -> Any:
    path = place.files / name
    path.write_text(json.dumps(content, indent=1))
    assert place.run("swe-agent", path).accepted == 1
    (found,) = (
        event
        for event in place.events("responses")
        if hasattr(event, "steps") and event.rollout_id == f"swe-agent/{name.removesuffix('.traj')}"
    )
    return found


def test_a_command_in_the_text_is_a_call_and_what_came_back_its_answer(place: Any) -> None:
    found = rollout(place, "u__gpt4__t-0.00__p-0.95__c-3.00__install-1__repo__repo-7.traj", OLD)
    assert [step.role for step in found.steps] == ["system", "user", "user", "assistant", "tool", "assistant", "tool"]
    call, answer, last = found.steps[3], found.steps[4], found.steps[6]
    assert (call.calls[0].tool, call.calls[0].arguments) == ("open", "open a.py")
    assert (answer.tool, answer.text, answer.seconds, answer.is_error) == ("open", "1: x", 0.5, None)
    assert (last.tool, last.text) == ("submit", "diff --git")
    assert (found.outcome, found.outcome_detail, found.task_id) == ("finished", "submitted (exit_cost)", "repo__repo-7")
    (served,) = (event for event in place.events("responses") if hasattr(event, "prompt"))
    assert (served.prompt, served.completion, served.cost_usd, served.audience) == (
        "Fix it.",
        "diff --git",
        0.5,
        "internal",
    )


def test_a_file_of_history_alone_and_one_of_the_trajectory_alone(place: Any) -> None:
    new = rollout(place, "new.traj", NEW)
    assert (new.steps[0].role, new.steps[0].text) == ("system", "Shell.")
    assert (new.steps[2].calls[0].arguments, new.steps[3].call_id, new.steps[3].tool) == (
        '{"path": "a.py"}',
        "call_1",
        "open",
    )
    assert new.outcome is None
    done = rollout(place, "done.traj", {"trajectory": OLD["trajectory"], "info": {"exit_status": "exit_cost"}})
    assert [step.role for step in done.steps] == ["assistant", "tool", "assistant", "tool"]
    assert done.outcome == "out_of_steps"


def test_turns_that_the_history_does_not_repeat_come_after_it(place: Any) -> None:
    found = rollout(place, "short.traj", {**OLD, "history": OLD["history"][:5]})
    assert [step.role for step in found.steps[3:]] == ["assistant", "tool", "assistant", "tool"]
    assert found.steps[5].calls[0].tool == "submit"


def test_a_folder_of_trajectories_is_one_import(place: Any) -> None:
    folder = place.files / "runs"
    folder.mkdir()
    for name in ("a.traj", "b.traj"):
        (folder / name).write_text(json.dumps(NEW))
    (folder / "c.traj").write_text("{")
    account = place.run("swe-agent", folder)
    assert (account.rows, account.accepted, account.refused) == (3, 2, 1)
