"""`flywheel tasks grade`, `attempt` and `serve`: what was tried, and how it is graded."""

from pathlib import Path
from typing import Any

import click

from flywheel.commands.task_agents import agent_of, agent_options
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.workers import news, summary, worker_options


@click.command()
@placed
@click.argument("task")
@click.option(
    "--tree", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="The finished tree."
)
@click.option("--checkpoint", metavar="ID", help="Who made it: the grade is kept as an event.")
@click.option("--rollout", metavar="FILE", type=click.Path(exists=True, path_type=Path), help="What was done, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Scores, tests, tripwires and evidence as JSON.")
def grade(task: str, tree: Path, checkpoint: str | None, rollout: Path | None, as_json: bool) -> None:
    """Grade a finished tree: strict and lenient score, tripwires and their evidence.

    Strict: pristine tests and hidden cases in a tree of the grader's own, and nothing that cheats. Lenient: what the
    exit code of the tree's own tests says. Exit status 0 where strict is 1, 1 where it is 0, 2 where it can't be said.

    \b
    Examples:
      flywheel tasks grade task-1f2e --tree attempt
      flywheel tasks grade task-1f2e --tree attempt --checkpoint large-2 --json
    """
    from evals.grader import grade as grade_tree
    from evals.tasks.attempts import event_of, said_in
    from evals.tasks.store import find
    from ingest.log import publish

    home = existing_home()
    found = grade_tree(find(home, task), tree, said=said_in(rollout) if rollout else ())
    if checkpoint is not None:
        with open_event_log(home) as log:
            publish(log, [event_of(found, checkpoint_id=checkpoint)])
    if as_json:
        click.echo(found.model_dump_json(indent=2))
    else:
        for line in _graded(found):
            click.echo(line)
    raise SystemExit(2 if found.strict is None else 0 if found.strict else 1)


def _graded(found: Any) -> list[str]:
    if found.status == "errored":
        return [f"{found.task_id} could not be graded: {found.reason}"]
    counts = ", ".join(
        f"{name} {tally.passed} of {tally.total}"
        for name, tally in (
            ("fail-to-pass", found.fail_to_pass), ("pass-to-pass", found.pass_to_pass), ("hidden", found.hidden),
        )
    )  # fmt: skip
    lines = [f"{found.task_id}: strict {found.strict:g}, lenient {found.lenient:g}; {counts}; {found.seconds:.1f} s"]
    lines += [f"  {wire.severity}: {wire.name} at {wire.where}: {wire.evidence}" for wire in found.tripwires]
    failed = [test for test in found.tests if not test.passed]
    lines += [f"  failed: {test.test}: {' '.join(test.detail.split())[:160]}" for test in failed[:10]]
    if len(failed) > 10:
        lines.append(f"  and {len(failed) - 10} more: --json has them all")
    return lines


@click.command()
@placed
@click.argument("task")
@agent_options
@click.option("--checkpoint", metavar="ID", help="Who that is, as marts know it.")
@click.option("--trial", type=click.IntRange(0), default=0, show_default=True, help="The how-manieth attempt, from 0.")
@click.option("--json", "as_json", is_flag=True, help="The grade as JSON.")
def attempt(  # noqa: PLR0917
    task: str, agent: str | None, endpoint: str | None, model: str | None, key_file: Path | None,
    checkpoint: str | None, trial: int, as_json: bool,
) -> None:  # fmt: skip
    """Let an agent try TASK once in its room, keep the rollout, and grade what it leaves.

    \b
    Examples:
      flywheel tasks attempt task-1f2e --agent "my-agent --dir {workdir} {instructions}"
      flywheel tasks attempt task-1f2e --endpoint http://127.0.0.1:8000/v1 --model large-2 --checkpoint large-2
    """
    from uuid import uuid4

    from evals.tasks.attempts import attempt as let_try
    from evals.tasks.store import find
    from ingest.log import publish

    home = open_home()
    who = agent_of(agent, endpoint, model, key_file)
    done = let_try(find(home, task), who, run_id=f"attempt-{uuid4()}", trial=trial, checkpoint_id=checkpoint)
    with open_event_log(home) as log:
        publish(log, [done.rollout, done.graded])
    if as_json:
        click.echo(done.grade.model_dump_json(indent=2))
        return
    click.echo(f"{len(done.rollout.steps)} steps, {done.rollout.outcome}: {done.rollout.outcome_detail}")
    for line in _graded(done.grade):
        click.echo(line)


@click.command()
@placed
@agent_options
@worker_options
def serve(  # noqa: PLR0917
    agent: str | None, endpoint: str | None, model: str | None, key_file: Path | None, once: bool, owner: str | None
) -> None:
    """Claim queued jobs of attempts (flywheel specs publish queues them) and let an agent try their tasks.

    \b
    Examples:
      flywheel tasks serve --once --agent "my-agent --dir {workdir} {instructions}"
      flywheel tasks serve --endpoint http://127.0.0.1:8000/v1 --model large-2
    """
    from flywheel.loop import let_attempt

    who = agent_of(agent, endpoint, model, key_file)
    home = open_home()
    with open_event_log(home) as log, news() as tell:
        served = let_attempt(home, log, who, tell, once=once, owner=owner)
    click.echo(summary(served))
