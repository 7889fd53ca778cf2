"""`flywheel checkpoints`: which there are, how they compare, and which takes the champion's place."""

import json
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.commands.evals import compare
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.tables import show as show_table
from flywheel.workers import news, summary
from models.errors import TerminalError

RESULTS = """
select spec_key, metric, value, low, high, scored, errored, completed_at
from fct_eval_results where checkpoint_id = ? order by completed_at desc, spec_key
"""


@click.group()
@placed
def checkpoints() -> None:
    """Checkpoints: list, show, compare, and promote the one that provably improves.

    \b
    Examples:
      flywheel checkpoints list
      flywheel checkpoints promote assistant-b --improve eval:repeats-itself:behaviour --run
    """


checkpoints.add_command(compare)


@checkpoints.command(name="list")
@placed
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(as_json: bool) -> None:
    """Every checkpoint that counts, and where it stands: champion, former champion, refused or candidate.

    \b
    Example:
      flywheel checkpoints list --json
    """
    from evals.promotion.standing import standing, standing_of
    from ingest.jobs.board import Board

    with open_event_log(existing_home(), looking=True) as log:
        board = Board(log)
        board.refresh()
    rows: list[dict[str, Any]] = []
    for each in sorted(board.checkpoints.values(), key=lambda each: (each.role, each.checkpoint_id)):
        now = standing(board, each.role)
        rows.append(
            {
                "checkpoint": each.checkpoint_id,
                "role": each.role,
                "method": each.method,
                "made from": each.base_checkpoint_id or "",
                "stands": standing_of(board, each.checkpoint_id, now),
                "lineage": now.lineage,
                "confirmations": now.opened,
                "spent": round(now.spent, 9),
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        click.echo("no checkpoint yet: flywheel training serve makes one, or register one (docs/evals.md)")
        return
    table = Table("checkpoint", "role", "method", "made from", "stands", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*(str(row[name]) for name in ("checkpoint", "role", "method", "made from", "stands")))
    show_table(table)
    for role in sorted({row["role"] for row in rows}):
        now = standing(board, role)
        if now.champion_id:
            click.echo(
                f"{role}: {now.champion_id} is champion; {now.opened} confirmations against it have spent "
                f"{now.spent:.4f} of the lineage's .05"
            )


@checkpoints.command()
@placed
@click.argument("checkpoint")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(checkpoint: str, as_json: bool) -> None:
    """One CHECKPOINT: what it is, what it scores by the published build, and what was decided about it and why.

    \b
    Example:
      flywheel checkpoints show judge-lexicon-1
    """
    from evals.promotion.standing import standing, standing_of
    from ingest.jobs.board import Board
    from ingest.reader import query

    home = existing_home()
    with open_event_log(home, looking=True) as log:
        board = Board(log)
        board.refresh()
    found = board.checkpoints.get(checkpoint)
    if found is None:
        raise TerminalError(
            f"no checkpoint {checkpoint!r} counts; those that do: {', '.join(board.checkpoints) or 'none'}"
        )
    decisions = [each for each in board.decisions if each.checkpoint_id == checkpoint]
    results = query(home, RESULTS, [checkpoint]) if home.warehouse.exists() else None
    stands = standing_of(board, checkpoint, standing(board, found.role))
    if as_json:
        told = {
            **found.model_dump(mode="json"),
            "stands": stands,
            "results": [dict(zip(results.columns, map(str, row), strict=True)) for row in results.rows]
            if results
            else [],
            "decisions": [each.model_dump(mode="json") for each in decisions],
        }
        click.echo(json.dumps(told, indent=2))
        return
    click.echo(f"{checkpoint}: {found.role}, {found.method}, {stands}")
    for name in ("base_checkpoint_id", "spec_id", "job_id", "path", "artifact_sha256"):
        if value := getattr(found, name):
            click.echo(f"  {name}: {value}")
    if results and results.rows:
        table = Table("eval", "metric", "value", "95% interval", "scored", "errored", box=box.SIMPLE_HEAD)
        for key, metric, value, low, high, scored, errored, _ in results.rows:
            table.add_row(
                str(key), str(metric), _figure(value), f"{_figure(low)} to {_figure(high)}", str(scored), str(errored)
            )
        show_table(table)
    for each in decisions:
        kind = "promoted" if each.type == "checkpoint.promoted.v1" else "refused"
        click.echo(f"{kind} in {each.lineage}, place {each.place}: {getattr(each, 'reason', '') or 'all bars hold'}")
        _show_findings(each.evidence)


@checkpoints.command()
@placed
@click.argument("checkpoint")
@click.option(
    "--improve", metavar="KEY", multiple=True, help="An eval that must improve, beside what its spec promises."
)
@click.option(
    "--guard",
    metavar="KEY=MARGIN",
    multiple=True,
    help="An eval that must not fall by MARGIN (0.05: 5 points) or more.",
)
@click.option(
    "--difference",
    type=Between(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="The improvement that the power is planned for.",
)
@click.option("--power", type=Between(0, 1, min_open=True, max_open=True), default=0.8, show_default=True)
@click.option("--attempts", type=click.IntRange(1, 100), default=5, show_default=True, help="At each fresh sample.")
@click.option(
    "--hack-margin",
    type=Between(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="By how much lenient less strict may grow.",
)
@click.option(
    "--most", type=click.IntRange(1), default=5_000, show_default=True, help="Fresh samples an eval, at most."
)
@click.option("--run", "run_here", is_flag=True, help="Work on the confirmation's jobs here, and decide.")
@click.option(
    "--parallel", type=click.IntRange(1, 1_000), default=4, show_default=True, help="Samples at once, with --run."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def promote(  # noqa: PLR0917
    checkpoint: str, improve: tuple[str, ...], guard: tuple[str, ...], difference: float, power: float, attempts: int,
    hack_margin: float, most: int, run_here: bool, parallel: int, as_json: bool,
) -> None:  # fmt: skip
    """Put CHECKPOINT up against its role's champion: a screen on live results, then a confirmation on fresh samples.

    What must improve, and what must not fall, is what its training spec promised; --improve and --guard add to it.
    Error is spent per lineage: however many candidates try, at most 5% of lineages promote one that is no better. Exit
    status 0: promoted, 1: refused, 3: jobs are to be done first (flywheel evals serve), then ask again.

    \b
    Examples:
      flywheel checkpoints promote assistant-b --improve eval:repeats-itself:behaviour
      flywheel checkpoints promote assistant-b --guard eval:all:policy=0.02 --run
    """
    from evals.serve import Options
    from flywheel.fresh import fresh
    from flywheel.loop import evaluate
    from flywheel.promotion import Asked
    from flywheel.promotion import promote as ask
    from stats.gate_plan import Wanted

    home = open_home()
    asked = Asked(
        checkpoint,
        improve,
        _guards(guard),
        Wanted(difference=difference, power=power, attempts=attempts),
        hack_margin,
        most,
    )
    with open_event_log(home) as log, news(quiet=as_json) as tell:
        told = ask(home, log, asked, fresh)
        if told.outcome == "waiting" and run_here:
            if not as_json:
                click.echo(told.said)
            served = evaluate(home, log, tell, once=True, only=set(told.jobs), options=Options(parallel=parallel))
            if not as_json:
                click.echo(summary(served))
            told = ask(home, log, asked, fresh)
    if as_json:
        click.echo(json.dumps({
            "outcome": told.outcome, "said": told.said, "jobs": told.jobs,
            "findings": [each.model_dump(mode="json") for each in told.findings],
        }, indent=2))  # fmt: skip
    else:
        click.echo(f"{told.outcome}: {told.said}")
        _show_findings(told.findings)
    raise SystemExit({"promoted": 0, "refused": 1, "waiting": 3}[told.outcome])


def _guards(said: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in said:
        key, _, margin = each.rpartition("=")
        try:
            found[key] = float(margin)
        except ValueError:
            raise TerminalError(f"--guard {each!r} is not KEY=MARGIN, as in eval:all:policy=0.02") from None
        if not key or not 0 < found[key] <= 1:
            raise TerminalError(
                f"--guard {each!r}: the margin must be above 0 and at most 1, as in eval:all:policy=0.02"
            )
    return found


def _show_findings(findings: Any) -> None:
    if not findings:
        return
    table = Table(
        "bar", "eval", "candidate", "champion", "difference", "interval", "samples", "holds", box=box.SIMPLE_HEAD
    )
    for each in findings:
        table.add_row(
            each.bar, each.spec_key, _figure(each.value), _figure(each.other), _figure(each.difference),
            f"{_figure(each.low)} to {_figure(each.high)}", f"{each.samples} in {each.clusters}",
            "yes" if each.holds else "no",
        )  # fmt: skip
    show_table(table)


def _figure(value: Any) -> str:
    return "" if value is None else f"{float(value):.3f}"
