"""`flywheel training`: the worker that trains checkpoints."""

import click

from flywheel.place import open_event_log, open_home, placed
from flywheel.workers import news, run_one, summary, worker_options


@click.group()
@placed
def training() -> None:
    """Training jobs: claim, train, register, report.

    \b
    Example:
      flywheel training serve
    """


@training.command()
@placed
@worker_options
def serve(once: bool, owner: str | None) -> None:
    """Claim queued training jobs and run them, until stopped.

    \b
    Examples:
      flywheel training serve --once      what is queued, then end
      flywheel training serve             as a service; start as many as you have machines
    """
    from flywheel.loop import train

    home = open_home()
    with open_event_log(home) as log, news() as tell:
        served = train(home, log, tell, once=once, owner=owner)
    click.echo(summary(served))


@training.command()
@placed
@click.argument("spec")
def run(spec: str) -> None:
    """Queue one SPEC (id or key) once more, as another look, and run it here.

    \b
    Examples:
      flywheel training run train:all:judge
      flywheel training run train:all:classifier
    """
    click.echo(summary(run_one(spec, "train", None)))
