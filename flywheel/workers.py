"""What the two workers' commands share: options, news of jobs as lines and a bar, and one spec run by hand."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from flywheel.place import open_event_log, open_home
from ingest.jobs.attempt import News, Tell
from ingest.jobs.board import Board, SpecIssued
from ingest.jobs.queue import job_queued
from ingest.jobs.worker import Served
from ingest.log import publish
from models.errors import TerminalError
from models.events.job import JobQueued
from models.specs import EvalSpec, JudgingSpec, TrainingSpec
from transforms.specs.publish import PRIVATE
from transforms.specs.revision import latest
from transforms.specs.tasks import is_of_tasks

F = TypeVar("F", bound=Callable[..., Any])


def worker_options(command: F) -> F:
    """`--once` and `--owner`."""
    command = click.option("--owner", metavar="NAME", help="Who claims; default: a name of its own.")(command)
    return click.option("--once", is_flag=True, help="Run what is queued and end.")(command)


@contextmanager
def news(*, quiet: bool = False) -> Generator[Tell]:
    """Tells of jobs: a line as each begins and ends, and a bar with step and phase where somebody looks.

    `quiet` leaves out the lines of what goes well.
    """
    console = Console(stderr=True, highlight=False, markup=False)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[where]}"),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None, where="", visible=False)
        rates = Rates()

        def tell(item: News) -> None:
            job = item.job
            name = f"{job.kind} {job.job_id}" + (f" of {job.checkpoint_id}" if job.checkpoint_id else "")
            if item.what == "going":
                if item.phase == "save" and progress.tasks[0].total is not None:
                    return  # between two looks at how far it is
                where = ", ".join([item.phase or "", *rates.said(item, time.monotonic())])
                progress.update(
                    task, description=name, completed=item.step, total=item.total, where=where, visible=True
                )
                return
            progress.reset(task, visible=False)
            progress.tasks[0].total = None  # the next job may not know its own
            if quiet and item.what in ("claimed", "completed"):
                return
            console.print(f"  {item.what:9} {name}" + (f": {item.detail}" if item.detail else ""))

        yield tell


class Rates:
    """How fast the job at hand goes, counted from where this worker began with it, and what it has cost."""

    def __init__(self) -> None:
        self._job = ""
        self._began, self._first = 0.0, 0

    def said(self, item: News, now: float) -> list[str]:
        """In words, at `now` (monotonic seconds); what isn't known yet is left out."""
        if self._job != item.job.job_id:
            self._job, self._began, self._first = item.job.job_id, now, item.step
        took, done = now - self._began, item.step - self._first
        rate = [f"{done / took:,.3g}/s"] if item.total and done and took > 0 else []
        return rate + ([] if item.usd is None else [f"{item.usd:.4f} USD"])


def summary(served: Served) -> str:
    """What a worker did, in words."""
    ends = ((served.failed, "attempts failed"), (served.lost, "attempts lost"), (served.yielded, "jobs given back"))
    return ", ".join([f"{served.completed} jobs completed", *(f"{count} {what}" for count, what in ends if count)])


def find_spec(board: Board, name: str) -> SpecIssued:
    """The spec of this id, or the newest revision of this key. Raises TerminalError naming the keys there are."""
    live = latest(board.specs.values())
    found = board.specs.get(name) or live.get(name)
    if found is None:
        known = ", ".join(sorted(live)) or "none: run flywheel specs publish"
        raise TerminalError(f"no spec has the id or key {name!r}; known keys: {known}")
    return found


def run_one(
    name: str, kind: Literal["train", "eval"], checkpoint: str | None, options: Any = None, judge: str | None = None
) -> Served:
    """Queue one spec (id or key) as another look and run that here, whatever else is queued.

    `options` and `judge` are those of evals (`evals.serve.Options`, `flywheel.loop.evaluate`).
    """
    from flywheel.loop import evaluate, train

    home = open_home()
    with open_event_log(home) as log, news() as tell:
        board = Board(log)
        board.refresh()
        issued = find_spec(board, name)
        if isinstance(issued.spec, TrainingSpec) != (kind == "train"):
            command = "training" if kind == "eval" else "evals"
            raise TerminalError(f"{name} is a {type(issued.spec).__name__}: use flywheel {command} run")
        if issued.spec_key.startswith(PRIVATE):
            raise TerminalError(f"{name} is a private benchmark, whose uses are counted: use flywheel bench run")
        if is_of_tasks(issued.spec):
            raise TerminalError(f"{name} is of tasks, which an agent attempts: flywheel tasks serve --agent COMMAND")
        looks = [_another_look(board, issued, each) for each in _checkpoints(board, issued, checkpoint)]
        publish(log, looks)
        only = {look.job_id for look in looks}
        if kind == "train":
            return train(home, log, tell, once=True, only=only)
        return evaluate(home, log, tell, once=True, only=only, options=options, judge=judge)


def _another_look(board: Board, issued: SpecIssued, checkpoint: str | None) -> JobQueued:
    seen = [job.look for job in board.jobs.values() if (job.spec_id, job.checkpoint_id) == (issued.spec_id, checkpoint)]
    kind = (
        "train"
        if isinstance(issued.spec, TrainingSpec)
        else "judge"
        if isinstance(issued.spec, JudgingSpec)
        else "eval"
    )
    return job_queued(kind, issued.spec_id, checkpoint, max(seen, default=0) + 1)


def _checkpoints(board: Board, issued: SpecIssued, wanted: str | None) -> list[str | None]:
    spec = issued.spec
    if not isinstance(spec, EvalSpec):
        return [spec.checkpoint_id if isinstance(spec, JudgingSpec) else None]
    known = sorted(each.checkpoint_id for each in board.checkpoints.values() if each.role == spec.role)
    if wanted is not None and wanted not in known:
        raise TerminalError(f"no {spec.role} checkpoint {wanted!r}; known: {', '.join(known) or 'none'}")
    if not known:
        raise TerminalError(f"there is no {spec.role} checkpoint yet that {issued.spec_key} could be run on")
    return [wanted] if wanted is not None else [*known]
