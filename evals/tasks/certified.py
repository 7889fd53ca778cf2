"""Certificates onto the log: of tasks that were just made, and of those whose checks were repeated."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.cleanroom.tools import tools
from evals.tasks.certify import SEEDS, Certificate, certify, event_of
from evals.tasks.folder import read
from evals.tasks.store import tasks_folder
from ingest.home import Home
from ingest.log import EventLog, publish


def announce(home: Home, log: EventLog, ids: Sequence[str]) -> None:
    """Publish the certificates of tasks that generating has just checked."""
    every = [read(tasks_folder(home) / each) for each in ids]
    made = [Certificate(parts, (), *parts.task.mutants) for parts in every]
    publish(log, [event_of(home, each) for each in made])


def certified(home: Home, log: EventLog, folder: Path, *, quick: bool = False) -> Certificate:
    """Repeat the checks of the task in `folder`, publish what came of it. `quick`: once, without the whole suite."""
    task = read(folder).task
    with tempfile.TemporaryDirectory(prefix="flywheel-tools-") as made:
        site = tools(task.tools, Path(made) / "site", but_not=[task.package])
        found = certify(folder, site, seeds=SEEDS[:1] if quick else SEEDS, whole_suite=not quick)
    publish(log, [event_of(home, found)])
    return found
