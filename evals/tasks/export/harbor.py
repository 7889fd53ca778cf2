"""A task as a folder that Harbor reads: instructions, an image of its tree without history, tests and solution apart.

The verifier has a container of its own, in which pristine tests are laid over what the agent left, and hidden cases are
compared outside the process that made the calls. Left out: our tripwires and the lenient score, which
`flywheel tasks grade` gives for any finished tree.
"""

import json
from pathlib import Path

from evals.tasks.bundle import command, source
from evals.tasks.folder import Parts, contents, lay

SCHEMA = "1.4"
"""Of `task.toml`, as Harbor 0.25 has it."""

DOCKERFILE = """FROM python:3.11-slim
RUN pip install --no-cache-dir {tools}
COPY tree /work
WORKDIR /work
ENV PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home agent && chown -R agent /work
USER agent
"""

TEST_SH = """#!/bin/sh
# Pristine tests over what the agent left, then the hidden cases; the reward is 1 or 0.
mkdir -p /logs/verifier
cp -R /tests/pristine/. /work/
export PYTHONPATH=/tests/checker
python3 -P -m evals.tasks.inside.check /tests/told.json /work > /logs/verifier/check.txt 2>&1 \\
  && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
cat /logs/verifier/check.txt
"""

SOLVE_SH = """#!/bin/sh
# The files as they were before the feature was cut.
cp -R /solution/gold/. /work/
"""

CHECKER = ("evals.tasks.values", "evals.tasks.inside.check")
"""What runs in the verifier's container, of the standard library alone."""


def write_harbor(parts: Parts, into: Path) -> Path:
    """Write the task below `into`, in a folder of its id."""
    task = parts.task
    folder = into / task.task_id
    (folder / "environment").mkdir(parents=True, exist_ok=True)
    (folder / "instruction.md").write_text(task.instructions, encoding="utf-8")
    (folder / "task.toml").write_text(_toml(parts), encoding="utf-8")
    (folder / "environment/Dockerfile").write_text(DOCKERFILE.format(tools=" ".join(task.tools)), encoding="utf-8")
    lay(contents(parts.tree), folder / "environment/tree")
    lay(contents(parts.tests), folder / "tests/pristine")
    lay(contents(parts.gold), folder / "solution/gold")
    told = {
        "tests": [*task.fail_to_pass, *task.pass_to_pass],
        "cases": [case.model_dump(mode="json") for case in parts.hidden.cases],
        "caller": command("calls"),
    }
    (folder / "tests/told.json").write_text(json.dumps(told), encoding="utf-8")
    checker = {f"{name.replace('.', '/')}.py": source(name).encode() for name in CHECKER}
    for name in CHECKER:
        checker |= {
            f"{parent}/__init__.py": b"" for parent in map(str, Path(name.replace(".", "/")).parents) if parent != "."
        }
    lay(checker, folder / "tests/checker")
    for path, text in (("tests/test.sh", TEST_SH), ("solution/solve.sh", SOLVE_SH)):
        (folder / path).write_text(text, encoding="utf-8")
        (folder / path).chmod(0o755)
    return folder


def _toml(parts: Parts) -> str:
    task = parts.task
    hard = task.difficulty
    facts = {
        "kind": task.kind, "package": task.package, "version": task.version, "lines": hard.lines, "files": hard.files,
        "difficulty": hard.estimate, "tree_sha256": task.tree_sha256, "tests_sha256": task.tests_sha256,
        "gold_sha256": task.gold_sha256, "hidden_sha256": task.hidden_sha256,
    }  # fmt: skip
    said = "\n".join(f"{name} = {json.dumps(value)}" for name, value in facts.items())
    return (
        f'schema_version = "{SCHEMA}"\n\n[task]\nname = "flywheel/{task.task_id}"\n'
        f"description = {json.dumps(f'Put back what was cut from {task.package} {task.version}')}\n\n"
        f"[metadata]\n{said}\n\n"
        f"[agent]\ntimeout_sec = 3600.0\n\n"
        f'[verifier]\ntimeout_sec = {max(600.0, task.seconds):.1f}\nenvironment_mode = "separate"\n\n'
        '[environment]\nnetwork_mode = "no-network"\nworkdir = "/work"\ncpus = 2\nmemory_mb = 2048\n\n'
        '[[artifacts]]\nsource = "/work"\n'
    )
