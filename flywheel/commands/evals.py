"""`flywheel evals`: the worker that scores checkpoints and lets judges judge, and what came of it."""

import json
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.commands.behaviours import behaviours
from flywheel.commands.eval_plan import plan
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.tables import show
from flywheel.workers import news, run_one, summary, worker_options
from models.errors import TerminalError


@click.group()
@placed
def evals() -> None:
    """Eval and judging jobs: claim, ask, score, report, compare.

    \b
    Examples:
      flywheel evals serve --once
      flywheel evals report eval:communication:policy --out report.html
      flywheel evals compare small-1 small-2
    """


def asking_options(command: Any) -> Any:
    """`--parallel`, `--max-usd`, `--seconds` and `--judge`."""
    for option in (
        click.option(
            "--judge", metavar="ID",
            help="Checkpoint that answers what code can't, where a rubric asks; flywheel judges list says who may.",
        ),
        click.option(
            "--seconds", type=Between(min=0, min_open=True), default=600.0, show_default=True,
            help="For one attempt at a sample, waiting for its turn included.",
        ),
        click.option(
            "--max-usd", type=Between(min=0, min_open=True),
            help="A job stops asking when it has cost so much; samples that were not asked have no score.",
        ),
        click.option(
            "--parallel", type=click.IntRange(1, 1024),
            help="Samples at once; default: what policies.yml says of the checkpoint.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def _options(parallel: int | None, max_usd: float | None, seconds: float) -> Any:
    from evals.serve import Options

    return Options(parallel, max_usd, seconds)


@evals.command()
@placed
@worker_options
@asking_options
def serve(  # noqa: PLR0917
    once: bool, owner: str | None, parallel: int | None, max_usd: float | None, seconds: float, judge: str | None
) -> None:  # fmt: skip
    """Claim queued eval and judging jobs and run them, until stopped.

    A checkpoint is asked as policies.yml of the home says (an endpoint, or answers once given), else loaded from its
    folder; one that a product serves is scored on what it answered there. A worker that was killed is resumed by the
    next one, and no sample is asked twice.

    \b
    Examples:
      flywheel evals serve --once
      flywheel evals serve --owner gpu-7 --parallel 16 --max-usd 5
    """
    from flywheel.loop import evaluate

    home = open_home()
    with open_event_log(home) as log, news() as tell:
        options = _options(parallel, max_usd, seconds)
        served = evaluate(home, log, tell, once=once, owner=owner, options=options, judge=judge)
    click.echo(summary(served))


@evals.command()
@placed
@click.argument("spec")
@click.option("--checkpoint", metavar="ID", help="Which checkpoint to score; default: every one of the spec's role.")
@asking_options
def run(  # noqa: PLR0917
    spec: str, checkpoint: str | None, parallel: int | None, max_usd: float | None, seconds: float, judge: str | None
) -> None:  # fmt: skip
    """Queue one SPEC (id or key) once more, as another look, and run it here.

    \b
    Examples:
      flywheel evals run eval:all:judge --checkpoint judge-lexicon-1
      flywheel evals run eval:communication:policy --checkpoint small-2 --parallel 16 --max-usd 2
    """
    click.echo(summary(run_one(spec, "eval", checkpoint, _options(parallel, max_usd, seconds), judge)))


@evals.command()
@placed
@click.argument("checkpoint")
@click.option(
    "--folder", type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="As transformers write it; it is copied into the home. Default: policies.yml says how it is asked.",
)  # fmt: skip
@click.option("--parent", "parents", multiple=True, metavar="ID", help="What it came from, for lineage.")
def register(checkpoint: str, folder: Path | None, parents: tuple[str, ...]) -> None:
    """Register a policy from outside as CHECKPOINT, so that evals of policies are queued for it.

    \b
    Examples:
      flywheel evals register small-2 --folder ~/models/small-2 --parent small-1
      flywheel evals register large-1      # an endpoint, or recorded answers, in policies.yml
    """
    from evals.policies.register import registered
    from ingest.log import publish

    home = open_home(feeds=True)
    event = registered(home, checkpoint, folder, parents=parents)
    with open_event_log(home) as log:
        publish(log, [event])
    where = f"{home.path / event.path}" if event.path else "asked as policies.yml says"
    click.echo(f"registered {checkpoint}: {where}; flywheel specs publish queues its evals")


@evals.command()
@placed
@click.argument("name", metavar="SPEC|JOB")
@click.option("--checkpoint", metavar="ID", help="Of a spec, the newest eval of this one; default: of any.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), default=Path("eval-report.html"), show_default=True
)
def report(name: str, checkpoint: str | None, out: Path) -> None:
    """Write one eval as an HTML page that stands alone: from the metric to each sample, and to what was done in it.

    SPEC (id or key) means its newest eval. The page is of the published build: flywheel sink --once && flywheel build
    bring the newest results into it.

    \b
    Examples:
      flywheel evals report eval:communication:policy --checkpoint small-2 --out report.html
      flywheel evals report job-0f3c
    """
    from flywheel.report.eval_page import eval_page
    from ingest.durable import replace

    if out.is_dir():
        raise TerminalError(f"--out {out} is a folder: name a file in it")
    content = eval_page(existing_home(), name, checkpoint).encode()
    try:
        replace(out.absolute(), content)
    except OSError as error:
        raise TerminalError(f"--out {out} can't be written: {error.strerror}") from error
    click.echo(f"report: {out.absolute()}")


@evals.command()
@placed
@click.argument("candidate")
@click.argument("other")
@click.option("--spec", metavar="KEY", help="On this eval alone (id or key); default: on each that both have done.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def compare(candidate: str, other: str, spec: str | None, as_json: bool) -> None:
    """Compare checkpoint CANDIDATE with OTHER, sample by sample, on the evals of the published build that both did.

    A sample that either has no score for is left out and counted. The 95% interval is of the difference, and knows of
    attempts and clusters; it looks once, and promotes nothing.

    \b
    Examples:
      flywheel evals compare small-2 small-1
      flywheel evals compare small-2 small-1 --spec eval:communication:policy --json
    """
    from flywheel.compared import compared

    rows = compared(existing_home(), candidate, other, spec)
    if as_json:
        click.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    table = Table(
        "eval",
        candidate,
        other,
        "difference",
        "95% interval",
        "p",
        "pairs",
        "clusters",
        "left out",
        box=box.SIMPLE_HEAD,
    )
    for row in rows:
        if row.difference is None:
            table.add_row(row.spec_key, "", "", "no pair", "", "", "0", "0", str(row.left_out))
            continue
        ends = "unknown: one cluster" if row.low is None or row.high is None else f"{row.low:+.3f} to {row.high:+.3f}"
        table.add_row(
            row.spec_key, f"{row.candidate:.3f}", f"{row.other:.3f}", f"{row.difference:+.3f}", ends,
            "" if row.p is None else f"{row.p:.2g}", str(row.pairs), str(row.clusters), str(row.left_out),
        )  # fmt: skip
    show(table)


evals.add_command(behaviours)
evals.add_command(plan)
