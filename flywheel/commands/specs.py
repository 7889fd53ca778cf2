"""`flywheel specs`: what the failure modes ask of evals and training."""

import json

import click
from rich import box
from rich.table import Table

from flywheel import tables
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.watch import builds, patiently
from flywheel.workers import find_spec
from ingest.jobs.board import Board
from ingest.reader import query
from transforms.specs.revision import latest

NOT_READY = "select spec_key, reason from sync_eval_specs where not ready"


@click.group()
@placed
def specs() -> None:
    """Eval, training and judging specs: issued from the marts, revised when the evidence grows.

    \b
    Examples:
      flywheel specs list
      flywheel specs publish --watch
    """


@specs.command("list")
@placed
def list_() -> None:
    """Every issued spec, newest revision of each key.

    \b
    Example:
      flywheel specs list --home /data/flywheel
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        board = Board(log)
        board.refresh()
    table = Table("spec", "key", "revision", "samples", "jobs", box=box.SIMPLE_HEAD)
    for issued in sorted(latest(board.specs.values()).values(), key=lambda event: event.spec_key):
        jobs = [job.status for job in board.jobs.values() if job.spec_id == issued.spec_id]
        states = ", ".join(f"{jobs.count(status)} {status}" for status in sorted(set(jobs)))
        if issued.spec_id in board.retired:
            states = f"retired ({states})" if states else "retired"
        table.add_row(issued.spec_id, issued.spec_key, str(issued.revision), str(issued.spec.data.rows), states)
    tables.show(table)


@specs.command()
@placed
@click.argument("spec")
def show(spec: str) -> None:
    """One SPEC whole, as JSON: by id, or by key for its newest revision.

    \b
    Example:
      flywheel specs show eval:all:judge
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        board = Board(log)
        board.refresh()
    issued = find_spec(board, spec)
    click.echo(json.dumps(issued.model_dump(mode="json"), indent=2, ensure_ascii=False))


@specs.command()
@placed
@click.option("--watch", is_flag=True, help="Look again at every new build, until stopped.")
@click.option(
    "--lease",
    "lease_s",
    type=Between(min=0.5),
    default=90.0,
    show_default=True,
    help="Seconds without a heartbeat after which a job is free again; travels with the jobs queued now.",
)
def publish(watch: bool, lease_s: float) -> None:
    """Issue what the published build asks for and queue it with every checkpoint that it concerns.

    Publishing twice issues nothing: a spec is revised only when its evidence or arguments changed, and only after a
    result of the last revision or with a fifth more evidence.

    \b
    Examples:
      flywheel specs publish
      flywheel specs publish --watch
    """
    from flywheel.loop import publish_specs

    home = open_home()

    def look() -> None:
        with open_event_log(home) as log:
            done = publish_specs(home, log, lease_s=lease_s)
        click.echo(f"{done.issued} specs issued, {done.queued} jobs queued")
        waiting = query(home, "select count(*) from sync_eval_specs where not ready").rows[0][0]
        if waiting and not watch:
            click.echo(f'{waiting} evals are not asked for yet: flywheel sql "{NOT_READY}"')

    for _ in builds(home, watch=watch):
        patiently(look, watch=watch)
