"""Specs of the tasks that stand: read off the log, with the instructions that lie in the home."""

from evals.tasks.store import all_tasks
from flywheel.held_out import held_out_guard
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog, publish, replay
from models.errors import BadEvent, HeldOutData
from models.events import AnyEvent, parse
from models.events.task import TaskCertified, TaskWithdrawn
from models.specs import TrainingSpec
from transforms.specs.publish import issue
from transforms.specs.revision import latest, next_revision
from transforms.specs.sets import keep, texts_of
from transforms.specs.tasks import task_specs


def issue_specs(home: Home, log: EventLog) -> int:
    """Issue what is not yet issued for the tasks that are certified; how many specs these were.

    Raises HeldOutData, once the others are issued, for tasks to train on that stand in a private benchmark.
    """
    with home.lock("specs"):
        board = Board(log)
        board.refresh()
        live = latest(board.specs.values())
        done = {job.spec_id for job in board.jobs.values() if job.status == "completed"}
        instructions = {parts.task.task_id: parts.task.instructions for parts in all_tasks(home)}
        new: list[AnyEvent] = []
        guard = held_out_guard(home, log)
        refused: list[HeldOutData] = []
        for spec, content in task_specs(standing(log), instructions):
            last = live.get(spec.key)
            revision = 1 if last is None else next_revision(spec, last, has_result=last.spec_id in done)
            if revision is not None:
                try:
                    if isinstance(spec, TrainingSpec):
                        guard(spec.key, texts_of(content))
                except HeldOutData as error:
                    refused.append(error)
                    continue
                keep(home, spec.data, content)
                new.append(issue(spec, revision))
        publish(log, new)
        if refused:
            raise HeldOutData("\n".join(map(str, refused)))
        return len(new)


def standing(log: EventLog) -> list[TaskCertified]:
    """Every certificate of tasks whose last word is no withdrawal, in the order of the log."""
    found: list[TaskCertified] = []
    for record in replay(log, "tasks"):
        try:
            event = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, TaskCertified):
            found.append(event)
        elif isinstance(event, TaskWithdrawn):
            found = [each for each in found if each.task_id != event.task_id]
    return found
