"""`flywheel training`: the worker that trains checkpoints."""

import click

from flywheel.loop import train
from flywheel.place import open_event_log, open_home, placed
from flywheel.workers import run_one, worker_options


@click.group()
@placed
def training() -> None:
    """Training jobs: claim, train, register, report."""


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
    home = open_home()
    with open_event_log(home) as log:
        done = train(home, log, once=once, owner=owner, say=click.echo)
    click.echo(f"{done} training jobs done")


@training.command()
@placed
@click.argument("spec")
def run(spec: str) -> None:
    """Queue one SPEC (id or key) once more, as another look, and run it here.

    \b
    Example:
      flywheel training run train:all:judge
    """
    run_one(spec, "train", None)
