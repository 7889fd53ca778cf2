"""Where another harness verifies a task: run its tests by name, make the hidden calls, and compare in this process.

Standard library alone, beside `evals.tasks.values`. Left out: what our own grader finds beyond that.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from evals.tasks.values import same


def main(told: Path, work: Path) -> bool:
    """Whether the tree in `work` passes what the file `told` says; prints what came of it."""
    said: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    environment = {**os.environ, "PYTHONPATH": f"{work}:{work / 'src'}", "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *said["tests"]]
    passed = subprocess.run(pytest, cwd=work, env=environment, check=False).returncode == 0
    cases: list[dict[str, Any]] = said["cases"]
    asked = {"calls": [case["call"] for case in cases], "seconds": 2.0, "paths": [".", "src"]}
    caller = [sys.executable, *said["caller"][1:]]
    ran = subprocess.run(
        caller, input=json.dumps(asked).encode(), cwd=work, env=environment, stdout=subprocess.PIPE, check=False
    )
    gave: dict[int, dict[str, Any]] = {}
    for line in ran.stdout.splitlines():
        try:
            answer = json.loads(line)
            gave[answer["call"]] = answer["outcome"]
        except (ValueError, KeyError, TypeError):
            continue  # a line that the candidate printed
    right = sum(_agree(case["expected"], gave.get(number)) for number, case in enumerate(cases))
    print(  # noqa: T201 -- what the verifier's log shows
        f"tests {'pass' if passed else 'fail'}; {right} of {len(cases)} hidden cases hold"
    )
    return passed and right == len(cases)


def _agree(expected: dict[str, Any], given: dict[str, Any] | None) -> bool:
    return given is not None and all(same(expected[name], given.get(name)) for name in ("value", "raised", "after"))


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1]), Path(sys.argv[2])) else 1)
