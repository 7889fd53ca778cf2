"""Specs of the tasks that stand: read off the log, with the instructions that lie in the home."""

from evals.tasks.store import all_tasks
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog, publish, replay
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.task import TaskCertified, TaskWithdrawn
from transforms.specs.publish import issue
from transforms.specs.revision import latest, next_revision
from transforms.specs.sets import keep
from transforms.specs.tasks import task_specs


def issue_specs(home: Home, log: EventLog) -> int:
    """Issue what is not yet issued for the tasks that are certified; how many specs these were."""
    with home.lock("specs"):
        board = Board(log)
        board.refresh()
        live = latest(board.specs.values())
        done = {job.spec_id for job in board.jobs.values() if job.status == "completed"}
        instructions = {parts.task.task_id: parts.task.instructions for parts in all_tasks(home)}
        new: list[AnyEvent] = []
        for spec, content in task_specs(standing(log), instructions):
            last = live.get(spec.key)
            revision = 1 if last is None else next_revision(spec, last, has_result=last.spec_id in done)
            if revision is not None:
                keep(home, spec.data, content)
                new.append(issue(spec, revision))
        publish(log, new)
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
