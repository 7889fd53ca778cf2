"""What a harness costs beside the model: the same samples with recorded answers, here and in Inspect.

    python -m benchmarks.evals_harness [--json FILE] [--quick]

2,000 prompts, an answer each that is there beforehand, a scorer that counts words. Ours is `flywheel evals serve
--once` as a user runs it: job claimed under a lease, set read and checked, each result and each rollout appended to
the log, progress saved durably, metric with interval. Inspect runs the same in an environment of its own with
mockllm, writes its log as it does by default, shows nothing, and has the best of a few of its settings. CPU seconds
are of the whole process, imports included; each is started once before, so that bytecode is there, and then the least
of three counts. Left out on our side: sink and build, which bring results into SQL.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl
from filelock import FileLock

from ingest.home import Home
from ingest.jobs.queue import queue
from ingest.log import open_log, publish, replay
from models.errors import FlywheelError
from models.events import parse
from models.events.checkpoint import CheckpointRegistered
from models.events.result import EvalCompleted, EvalSampleScored
from models.specs import EvalSpec, ScorerSpec
from transforms.specs.publish import issue
from transforms.specs.sets import SCHEMA, freeze, keep

ROOT = Path(__file__).parents[1]
INSPECT = "inspect-ai==0.3.285"
WORDS = 40
VOCABULARY = ("the", "a", "tide", "moon", "water", "shore", "rises", "falls", "twice", "because", "of", "it", "land")
BAR = 5.0
SETTINGS: tuple[Mapping[str, object], ...] = (
    {},
    {"max_samples": 100, "max_connections": 100, "log_realtime": False, "score_display": False},
)
"""Of Inspect: as it comes, and without what it shows while it runs."""


class Cost(NamedTuple):
    """One run."""

    cpu_s: float
    value: float
    """The metric, which must be the same on both sides."""


def answers(samples: int) -> list[dict[str, str]]:
    """Prompts with answers of 10 to 69 words, by a seed."""
    luck = random.Random(8)
    return [
        {
            "sample_id": f"s{number:05}",
            "prompt": f"Question {number}: {' '.join(luck.choices(VOCABULARY, k=25))}?",
            "text": " ".join(luck.choices(VOCABULARY, k=luck.randrange(10, 70))),
        }
        for number in range(samples)
    ]


def ours(given: list[dict[str, str]], folder: Path) -> Cost:
    """A home with one job, and the worker as a command."""
    home = Home.open(folder / "home")
    lines = [
        {"sample_id": each["sample_id"], "text": each["text"], "prompt_tokens": 30, "completion_tokens": 40}
        for each in given
    ]
    (home.path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (home.path / "policies.yml").write_text("replayed: {answers: answers.jsonl}\n")
    columns = {"sample_id": [each["sample_id"] for each in given], "prompt": [each["prompt"] for each in given]}
    frame = pl.DataFrame({name: columns.get(name, [None] * len(given)) for name in SCHEMA.names()}, schema=SCHEMA)
    data, content = freeze(frame)
    keep(home, data, content)
    spec = EvalSpec(
        key="eval:words:policy", evidence=("e",), data=data, query="none", taxonomy="none", role="policy",
        scorer=ScorerSpec(name="concise", args={"words": WORDS}),
    )  # fmt: skip
    with open_log(None, home.path) as log:
        replayed = CheckpointRegistered(
            id="replayed", source="bench", checkpoint_id="replayed", role="policy", method="elsewhere"
        )
        publish(log, [replayed, issue(spec, 1)])
        queue(log, "eval", spec.spec_id(), "replayed")
    command = [sys.executable, "-m", "flywheel", "evals", "serve", "--once", "--home", str(home.path)]
    cpu_s = cpu_of(command, {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'clients/python/src'}"})
    with open_log(None, home.path) as log:
        events = [parse(record.value) for record in replay(log, "results")]
    scored = [event for event in events if isinstance(event, EvalSampleScored)]
    (ended,) = (event for event in events if isinstance(event, EvalCompleted))
    assert len(scored) == ended.scored == len(given), "each sample has its score on the log"
    assert ended.value is not None, "every sample was scored"
    return Cost(cpu_s, ended.value)


def inspects(given: list[dict[str, str]], folder: Path, settings: Mapping[str, object]) -> Cost:
    """The same in Inspect."""
    asked, told = folder / "answers.json", folder / "told.json"
    asked.write_text(json.dumps(given))
    script = Path(__file__).with_name("evals_harness_inspect.py")
    command = [str(_peer() / "bin/python"), str(script), str(asked), str(folder / "logs"), json.dumps(settings)]
    cpu_s = cpu_of([*command, str(told), str(WORDS)], {"HOME": str(folder)})
    return Cost(cpu_s, float(json.loads(told.read_text())["accuracy"]))


def cpu_of(command: list[str], more: dict[str, str]) -> float:
    """User and system seconds of a process and its children. Raises FlywheelError where it fails."""
    known = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=known | more | {"PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")},
                                   stdout=said, stderr=said)  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise FlywheelError(f"{command[0]} failed: {said.read()[-2000:].decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "flywheel" / "peers"


def _peer() -> Path:
    """Inspect in an environment of its own, made once; that of the tests, where they have made it."""
    folder = CACHE / "inspect-ai-0.3.285"
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / ".done").exists():
            uv = [sys.executable, "-m", "uv"]
            for command in (
                [*uv, "venv", "-q", "--clear", "--python", sys.executable, str(folder)],
                [*uv, "pip", "install", "-q", "--python", str(folder / "bin/python"), INSPECT, "pytest==9.2.0"],
            ):
                subprocess.run(command, check=True)
            (folder / ".done").touch()
    return folder


def measured(quick: bool) -> dict[str, float]:
    """The figures, with a table printed."""
    samples, turns = (500, 1) if quick else (2_000, 3)
    few, given = answers(20), answers(samples)
    rows: list[tuple[str, Cost]] = []
    with tempfile.TemporaryDirectory(prefix="flywheel-harness-") as made:
        place = Path(made)

        def turn(number: int, questions: list[dict[str, str]]) -> list[tuple[str, Cost]]:
            folder = place / f"{number}"
            folder.mkdir()
            found = [("flywheel", ours(questions, folder))]
            for choice, settings in enumerate(SETTINGS):
                (folder / str(choice)).mkdir()
                found.append((f"inspect, {json.dumps(settings)}", inspects(questions, folder / str(choice), settings)))
            return found

        turn(0, few)
        for number in range(1, turns + 1):
            rows += turn(number, given)
    assert len({round(cost.value, 9) for _, cost in rows}) == 1, "all sides give the same metric"
    best = {name: min(cost.cpu_s for other, cost in rows if other == name) for name, _ in rows}
    print(f"{samples:,} samples with recorded answers; CPU seconds of the whole process, the least of {turns}")
    for name, cpu_s in best.items():
        print(f"{cpu_s:8.2f} CPU-s  {samples / cpu_s:8.0f} samples per CPU-s  {name}")
    mine = samples / best["flywheel"]
    its = samples / min(cpu_s for name, cpu_s in best.items() if name != "flywheel")
    print(f"ratio {mine / its:.1f} ({BAR:g})")
    return {
        "samples_per_cpu_s": round(mine, 1),
        "inspect_samples_per_cpu_s": round(its, 1),
        "ratio_inspect": round(mine / its, 2),
    }


def main() -> None:
    """Measure, print the table, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="fewer samples, once")
    said = parser.parse_args()
    figures = measured(said.quick)
    if said.json:
        said.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
