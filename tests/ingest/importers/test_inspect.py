"""Inspect's logs: numbers, samples as rollouts, grades of our own tasks. tests/evals/harness reads a real one."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.importers import IMPORTERS
from ingest.importers.base import Refused
from ingest.importers.detect import detect

FILE = Path(__file__).parent / "inspect_log.json"


def rows() -> list[dict[str, Any]]:
    log = json.loads(FILE.read_text())
    run = {"eval": log["eval"], "results": log["results"]}
    return [run, *({"eval": log["eval"], "sample": sample} for sample in log["samples"])]


def test_it_is_told_by_its_look() -> None:
    assert detect(FILE, IMPORTERS.values()).name == "inspect"


def test_a_run_a_graded_sample_and_one_that_ran_out_of_time(events_of: Any) -> None:
    number, first, grade, second = events_of("inspect", *rows())
    assert (number.benchmark, number.metric, number.value, number.stderr) == (
        "inspect/tasks",
        "strict/accuracy",
        0.5,
        0.5,
    )
    assert (first.task_id, first.trial, first.reward, first.outcome, first.model) == (
        "task-1",
        0,
        1.0,
        "finished",
        "lab/large",
    )
    call = first.steps[1]
    assert (call.text, call.calls[0].tool, call.calls[0].arguments) == ("I look.", "bash", '{"command":"ls"}')
    assert (first.steps[2].tool, first.steps[2].call_id) == ("bash", "c1")
    assert (grade.task_id, grade.rollout_id, grade.strict, grade.lenient) == ("task-1", first.rollout_id, 1.0, 1.0)
    assert [wire.name for wire in grade.tripped] == ["network"]
    assert (second.task_id, second.trial, second.reward) == ("inspect/tasks/task-2", 1, 0.0)
    assert (second.outcome, second.outcome_detail) == ("timed_out", "time")


def test_a_sample_that_is_none_is_refused(events_of: Any) -> None:
    run = rows()[0]["eval"]
    with pytest.raises(Refused, match="no messages"):
        events_of("inspect", {"eval": run, "sample": {"id": "x"}})
    with pytest.raises(Refused, match=r"eval\.task"):
        events_of("inspect", {"eval": {}})
