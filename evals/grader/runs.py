"""Run tests in a room of their own, two ways: by pytest in one process (`suite`), and by plain calls (`plain`).

What a room says is only taken as far as it is of the right shape; it may be a candidate's word.
"""

import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from evals.cleanroom.bubblewrap import SITE, open_room
from evals.cleanroom.room import Ended, Limits
from evals.grader.canaries import Canaries
from evals.tasks import values
from evals.tasks.folder import Parts

INSIDE = Path(__file__).parent / "inside"


SPARE, TIMES = 10.0, 10.0
"""A run may take so many seconds, and so many times what the gold files took here."""


class Report(NamedTuple):
    """What pytest said of a test: passed means that its setup, call and teardown did."""

    passed: bool
    detail: str


class Suite(NamedTuple):
    """A run by pytest."""

    reports: dict[str, Report]
    ended: Ended
    finished: bool
    """The runner came to its end."""
    changed: tuple[str, ...]
    """Pieces of the runner that are not what they were."""
    plugins: int
    """Registered by hand."""
    detail: str
    seconds: float


DIED = Suite({}, "killed", False, (), 0, "the room died", 0.0)
"""What is left of a run that took its room along."""


class Plain(NamedTuple):
    """A plain call of a test function, with all its parameters."""

    outcome: str
    """`passed`, `can't`, or what went wrong."""
    asserts: int
    seen: tuple[tuple[int, Any, Any], ...]
    """Line, and both sides of a comparison, encoded."""


def paths(tree: Path) -> list[str]:
    """Where imports begin, inside."""
    return [SITE, "/work/src", "/work"] if (tree / "src").is_dir() else [SITE, "/work"]


def limits(parts: Parts, gold_seconds: float | None = None) -> Limits:
    """What a run may use: ten times what the gold files need here; for those, twice what the task says, or a minute."""
    seconds = max(60.0, 2 * parts.task.seconds) if gold_seconds is None else SPARE + TIMES * gold_seconds
    return Limits(seconds=seconds, memory_mb=2048, output_mb=64)


def files(parts: Parts) -> list[str]:
    """The test files that hold the task's tests."""
    tests = (*parts.task.fail_to_pass, *parts.task.pass_to_pass)
    return sorted({test.partition("::")[0] for test in tests})


def suite(parts: Parts, tree: Path, tools: Path, canaries: Canaries, most: Limits) -> Suite:
    """Run the task's tests, and canaries among them, in a fresh room with `tree`."""
    nonce = secrets.token_hex(16)
    planted = canaries.files(files(parts))
    asked = {
        "nonce": nonce, "path": paths(tree), "files": [*files(parts), *planted],
        "tests": [*parts.task.fail_to_pass, *parts.task.pass_to_pass], "canaries": list(planted),
    }  # fmt: skip
    with open_room(tree, tools=tools, limits=most) as room:
        for path, text in planted.items():
            (room.tree / path).write_text(text)
        ran = room.run(_program("suite"), stdin=json.dumps(asked).encode(), env={"PYTHONHASHSEED": "0"})
    said = _said(ran.stdout, nonce)
    phases: dict[str, list[tuple[str, str]]] = {}
    for what, *rest in said:
        if what == "test" and len(rest) >= 4:
            phases.setdefault(str(rest[0]), []).append(
                (str(rest[2]), str(rest[1]) + (f": {rest[3]}" if rest[3] else ""))
            )
    ends = [
        rest
        for what, *rest in said
        if what == "end" and len(rest) == 2 and isinstance(rest[0], list) and isinstance(rest[1], int)
    ]
    return Suite(
        {test: _report(found) for test, found in phases.items()},
        ran.ended,
        bool(ends),
        tuple(str(each) for each in ends[-1][0]) if ends else (),
        int(ends[-1][1]) if ends else 0,
        "; ".join(str(rest[1])[-300:] for what, *rest in said if what == "broken" and len(rest) == 2)
        or ran.stderr.decode(errors="replace")[-500:],
        ran.seconds,
    )


def _report(phases: list[tuple[str, str]]) -> Report:
    """A test has a setup, a call for each of its subtests and itself, and a teardown, and all of them pass."""
    order = [when for when, _ in phases]
    is_whole = len(order) > 2 and order[0] == "setup" and order[-1] == "teardown" and set(order[1:-1]) == {"call"}
    wrong = next((said for _, said in phases if said != "passed"), None if is_whole else f"told as {order}")
    return Report(wrong is None, wrong or "")


def plain(parts: Parts, tree: Path, tools: Path, most: Limits) -> dict[str, Plain]:
    """Call the task's test functions in a fresh room with `tree`: id without parameters -> what became of it."""
    nonce = secrets.token_hex(16)
    asked = {
        "nonce": nonce,
        "path": paths(tree),
        "files": files(parts),
        "tests": sorted({test.partition("[")[0] for test in (*parts.task.fail_to_pass, *parts.task.pass_to_pass)}),
        "values": Path(values.__file__).read_text(),
        "seconds": most.seconds / 3,
    }
    with open_room(tree, tools=tools, limits=most) as room:
        ran = room.run(_program("plain"), stdin=json.dumps(asked).encode(), env={"PYTHONHASHSEED": "0"})
    found: dict[str, Plain] = {}
    for test, outcome, asserts, seen in (each for each in _said(ran.stdout, nonce) if len(each) == 4):
        if isinstance(asserts, int) and isinstance(seen, list):
            sides = tuple(side for each in cast("list[Any]", seen) if (side := _side(each)) is not None)
            found[str(test)] = Plain(str(outcome), asserts, sides)
    return found


def _side(told: Any) -> tuple[int, Any, Any] | None:
    """Line, left and right, where it is that."""
    match told:
        case [int() as line, left, right]:
            return line, left, right
        case _:
            return None


def _program(name: str) -> Sequence[str]:
    return ["python3", "-P", "-c", (INSIDE / f"{name}.py").read_text()]


def _said(told: bytes, nonce: str) -> list[list[Any]]:
    found: list[list[Any]] = []
    for text in told.splitlines():
        try:
            said: Any = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, list) and len(line := cast("list[Any]", said)) > 1 and line[0] == nonce:
            found.append(line[1:])
    return found
