"""How often the rules of automated reports are right, on public rollouts whose findings we read. No peer: no labels of
others exist for these.

    python -m benchmarks.rules [--data DIR] [--quick] [--json FILE]

Two sets go through their importers, the lake and `flywheel reports run`; the third, chats without times, straight to
the rules. Every finding is held against `transforms/seeds/rule_labels.csv`; findings without a label, and labels whose
finding is no longer made, are counted: both mean that a rule has changed since. `--quick` measures the same.
"""

import argparse
import csv
import gzip
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ingest.home import Home
from ingest.importers import find
from ingest.importers.run import import_file
from ingest.log import open_log, replay
from ingest.reports import RULES, Episode
from ingest.reports.episode import of_turn
from ingest.reports.run import run
from ingest.sink import Sink
from models.events import parse
from models.events.report import ReportFiled
from models.events.rollout import RolloutRecorded
from stats.wilson import wilson

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "transforms/seeds/rule_labels.csv"

Case = tuple[str, str, str, tuple[int, ...]]
"""(rule@version, data set, rollout, steps)."""

SETS = {
    "tau_bench_gpt4o_airline": ("tau-bench", "trajectories.jsonl.gz", r"tau-bench/(\d+/\d+)/"),
    "swe_agent_trajectories": ("swe-agent", "", r"swe-agent/(.+)"),
}
"""Data set -> importer, file, and what of a rollout's id the labels name: task and trial, or the file."""


class Label(NamedTuple):
    """What we said of a finding."""

    is_right: bool
    is_held_out: bool


def main() -> None:
    """Print a table, one row a rule and data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="folder of the data sets")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="the same: the data is small")
    arguments = parser.parse_args()
    labels = _labels()
    found, sizes, seconds = _filed(arguments.data)
    for message, episode in oasst(arguments.data / "oasst_messages"):
        sizes["oasst_messages"] += 1
        for rule in RULES.values():
            found |= {(rule.label, "oasst_messages", message, finding.steps) for finding in rule.look(episode)}
    rows = _rows(found, labels)
    print(", ".join(f"{count} of {name}" for name, count in sizes.items()))
    print(
        f"{'rule':24} {'data':24} {'findings':>8} {'labelled':>8} {'right':>6} {'precision':>9}  95%          held out"
    )
    for row in rows:
        n = row["labelled"]
        share = f"{row['precision']:9.2f}  {row['low']:.2f} to {row['high']:.2f}" if n else f"{'-':>9}  {'-':12}"
        held_out = f"{row['held_out_right']} of {row['held_out']}" if row["held_out"] else "-"
        print(f"{row['rule']:24} {row['data']:24} {row['findings']:8} {n:8} {row['right']:6} {share}  {held_out}")
    unlabelled, stale = len(found - labels.keys()), len(labels.keys() - found)
    print(f"{unlabelled} findings without a label, {stale} labels without a finding")
    print(f"flywheel reports run took {seconds:.1f} s")
    if arguments.json:
        figures = {"rules": rows, "unlabelled": unlabelled, "stale_labels": stale, "episodes": dict(sizes)}
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _filed(data: Path) -> tuple[set[Case], Counter[str], float]:
    """What `flywheel reports run` files on the imported rollouts, how many these are, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder) / "home")
        with open_log(None, home.path) as log:
            for name, (format_, file, _) in SETS.items():
                import_file(log, home, find(format_), data / name / file, {})
            Sink(log, home).drain()
            started = time.perf_counter()
            run(home, log)
            seconds = time.perf_counter() - started
            events = [parse(record.value) for topic in ("responses", "feedback") for record in replay(log, topic)]
    named = {
        event.rollout_id: (name, match[1])
        for event in events
        if isinstance(event, RolloutRecorded)
        for name, (_, _, pattern) in SETS.items()
        if (match := re.match(pattern, event.rollout_id))
    }
    found: set[Case] = {
        (f"{event.rule}@{event.rule_version}", *named[event.target.id], event.steps)
        for event in events
        if isinstance(event, ReportFiled) and event.target and event.steps
    }
    return found, Counter(name for name, _ in named.values()), seconds


def oasst(folder: Path) -> Iterator[tuple[str, Episode]]:
    """OpenAssistant: each message of a person that answers an assistant's is a turn."""
    messages = {message["message_id"]: message for message in _lines(folder / "messages_flat.jsonl.gz")}
    for message in messages.values():
        answer = messages.get(message["parent_id"])
        if message["role"] == "prompter" and answer is not None:
            prompt = messages.get(answer["parent_id"])
            yield message["message_id"], of_turn(prompt["text"] if prompt else None, answer["text"], message["text"])


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt") as opened:
        for line in opened:
            yield json.loads(line)


def _labels() -> dict[Case, Label]:
    with LABELS.open() as file:
        return {
            (
                f"{row['rule']}@{row['rule_version']}",
                row["dataset"],
                row["rollout"],
                tuple(map(int, row["steps"].split())),
            ): Label(row["is_right"] == "true", row["is_held_out"] == "true")
            for row in csv.DictReader(file)
        }


def _rows(found: set[Case], labels: dict[Case, Label]) -> list[dict[str, Any]]:
    by_rule: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in found:
        by_rule[case[:2]].append(case)
    for rule in RULES.values():
        if not any(name == rule.label for name, _ in by_rule):
            by_rule[rule.label, "all"] = []
    rows: list[dict[str, Any]] = []
    for (rule, data), cases in sorted(by_rule.items()):
        known = [labels[case] for case in cases if case in labels]
        right = sum(label.is_right for label in known)
        held_out = [label for label in known if label.is_held_out]
        interval = wilson(right, len(known)) if known else None
        rows.append(
            {
                "rule": rule, "data": data, "findings": len(cases), "labelled": len(known), "right": right,
                "precision": right / len(known) if known else None,
                "low": interval.low if interval else None, "high": interval.high if interval else None,
                "held_out": len(held_out), "held_out_right": sum(label.is_right for label in held_out),
            }
        )  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
