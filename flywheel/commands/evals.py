"""`flywheel evals`: the worker that scores checkpoints, and lets judges judge."""

import click

from flywheel.commands.behaviours import behaviours
from flywheel.place import open_event_log, open_home, placed
from flywheel.workers import news, run_one, summary, worker_options


@click.group()
@placed
def evals() -> None:
    """Eval and judging jobs: claim, score, report.

    \b
    Example:
      flywheel evals serve --once
    """


@evals.command()
@placed
@worker_options
def serve(once: bool, owner: str | None) -> None:
    """Claim queued eval and judging jobs and run them, until stopped.

    \b
    Examples:
      flywheel evals serve --once
      flywheel evals serve --owner gpu-7
    """
    from flywheel.loop import evaluate

    home = open_home()
    with open_event_log(home) as log, news() as tell:
        served = evaluate(home, log, tell, once=once, owner=owner)
    click.echo(summary(served))


@evals.command()
@placed
@click.argument("spec")
@click.option("--checkpoint", metavar="ID", help="Which checkpoint to score; default: every one of the spec's role.")
def run(spec: str, checkpoint: str | None) -> None:
    """Queue one SPEC (id or key) once more, as another look, and run it here.

    \b
    Example:
      flywheel evals run eval:all:judge --checkpoint judge-lexicon-1
    """
    click.echo(summary(run_one(spec, "eval", checkpoint)))


evals.add_command(behaviours)
