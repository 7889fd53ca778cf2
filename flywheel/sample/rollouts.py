"""Rollouts of the coding assistant's agent: most are fine, some have a fault that a rule of `ingest/reports` finds.

Each is the work behind one of the responses. What must be found in them is counted while they are written. Drawn from a
generator of their own, so that adding one changes nothing else in the sample.
"""

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from random import Random
from typing import Any

from flywheel.sample.ledger import ROLLOUT, Ledger

Json = dict[str, Any]

SOURCE = "assistant/agent"
TOOLS = ("read_file", "edit_file", "run_tests", "search")
FINE = 12
"""Rollouts without a fault; of each fault there are three."""
EACH = 3

FILES = ("parser.py", "login.py", "retry.py", "report.sql", "index.html", "queue.go", "main.rs", "sizes.ts")


def add(seed: int, ledger: Ledger, served: Iterable[tuple[Json, datetime]]) -> None:
    """Write the rollouts behind the first of `served`, each a response's payload and its moment."""
    random = Random(f"rollouts {seed}")
    makers: list[tuple[str | None, Callable[[Random], list[Json]]]] = [(None, _fine)] * FINE
    makers += [pair for pair in FAULTS for _ in range(EACH)]
    random.shuffle(makers)
    known = ((data, moment) for data, moment in served if data["prompt"] is not None)
    for number, ((fault, make), (data, moment)) in enumerate(zip(makers, known, strict=False)):
        asked = {"role": "user", "text": data["prompt"]}
        steps = [asked, *make(random)]
        rollout = {
            "rollout_id": f"ro-{number:03}",
            "steps": [*steps, {"role": "assistant", "text": data["completion"]}] if fault != "timed_out" else steps,
            "response_id": data["response_id"],
            "conversation_id": data["conversation_id"],
            "person_id": data["person_id"],
            "model": data["model"],
            "checkpoint_id": data["checkpoint_id"],
            "tools": list(TOOLS),
            "outcome": "timed_out" if fault == "timed_out" else "finished",
            "reward": None if fault == "timed_out" else float(fault is None),
            "audience": data["audience"],
        }
        ledger.write(ROLLOUT, SOURCE, rollout, moment - timedelta(seconds=2))
        if fault is not None:
            ledger.findings[fault] += 1


def _call(tool: str, answer: str, *, is_error: bool = False, **arguments: object) -> list[Json]:
    made = {"role": "assistant", "calls": [{"tool": tool, "arguments": json.dumps(arguments)}]}
    return [made, {"role": "tool", "tool": tool, "text": answer, "is_error": is_error}]


def _fine(random: Random) -> list[Json]:
    file = random.choice(FILES)
    read = _call("read_file", f"{random.randint(20, 400)} lines", path=file)
    return [*read, *_call("edit_file", "1 line changed", path=file), *_call("run_tests", "12 passed", path=file)]


def _repeated_error(random: Random) -> list[Json]:
    file = random.choice(FILES)
    failed = [
        _call("edit_file", f"Error: line {line} does not match", is_error=True, path=file, line=line) for line in (4, 9)
    ]
    return [*_call("read_file", "40 lines", path=file), *(step for steps in failed for step in steps)]


def _unknown_tool(random: Random) -> list[Json]:
    return _call("open_browser", "Unknown tool: open_browser", is_error=True, page=random.choice(FILES))


def _loop(random: Random) -> list[Json]:
    file = random.choice(FILES)
    return [step for _ in range(4) for step in _call("search", "no match", text=file)]


def _timed_out(random: Random) -> list[Json]:
    return _call("read_file", "40 lines", path=random.choice(FILES))


def _corrected(random: Random) -> list[Json]:
    wrong, right = random.sample(FILES, 2)
    first = [*_call("edit_file", "1 line changed", path=wrong), {"role": "assistant", "text": f"I changed {wrong}."}]
    return [
        *first,
        {"role": "user", "text": f"No, I meant {right}."},
        *_call("edit_file", "1 line changed", path=right),
    ]


def _undone(random: Random) -> list[Json]:
    file = random.choice(FILES)
    first = [*_call("edit_file", "90 lines changed", path=file), {"role": "assistant", "text": f"I rewrote {file}."}]
    return [*first, {"role": "user", "text": "Please revert that."}, *_call("edit_file", "90 lines changed", path=file)]


FAULTS: tuple[tuple[str, Callable[[Random], list[Json]]], ...] = (
    ("repeated_tool_error", _repeated_error),
    ("unknown_tool", _unknown_tool),
    ("endless_loop", _loop),
    ("timed_out", _timed_out),
    ("user_correction", _corrected),
    ("answer_undone", _undone),
)
