"""`flywheel bench`: private benchmarks, frozen, guarded, and counted."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.commands.evals import asking_options
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.tables import show as show_table
from flywheel.workers import news


@click.group()
@placed
def bench() -> None:
    """Private benchmarks: of your own tasks and failure modes, never trained on, and worn by each use.

    \b
    Examples:
      flywheel bench create regressions
      flywheel bench add regressions --mode instruction_following
      flywheel bench freeze regressions
      flywheel bench run regressions --checkpoint policy-2
    """


@bench.command()
@placed
@click.argument("name")
@click.option("--scorer", help="How samples are scored; default: what is added first says it.")
@click.option("--arg", "args", metavar="NAME=VALUE", multiple=True, help="An argument of the scorer, value as JSON.")
@click.option("--trials", type=click.IntRange(1, 100), default=1, show_default=True, help="Attempts a sample.")
@click.option(
    "--sees",
    type=Between(min=0.001, max=1),
    help="The width of an interval from which on it is worn; default: twice its first one.",
)
def create(name: str, scorer: str | None, args: tuple[str, ...], trials: int, sees: float | None) -> None:
    """Begin the benchmark NAME: an empty draft in the home, readable by you alone.

    \b
    Examples:
      flywheel bench create regressions
      flywheel bench create short --scorer concise --arg words=120 --sees 0.2
    """
    from evals.benchmark.draft import Purpose, folder_of
    from evals.benchmark.draft import create as begin
    from flywheel.benchmarks.sources import role_of

    if scorer is not None:
        role_of(scorer)
    home = open_home(feeds=True)
    folder_of(home, name)
    begin(home, Purpose(name=name, scorer=scorer, args=_arguments(args), trials=trials, sees=sees))
    click.echo(f"{name}: an empty draft. Add to it: flywheel bench add {name} --task ID, --mode MODE or --file FILE")


@bench.command()
@placed
@click.argument("name")
@click.option("--task", "tasks", metavar="ID", multiple=True, help="A task that stands, of the side of evals.")
@click.option("--mode", "modes", metavar="MODE", multiple=True, help="What shows a failure mode, of the side of evals.")
@click.option(
    "--share", type=Between(min=0.01, max=1), default=0.5, show_default=True,
    help="Of a mode's samples; its live eval keeps the rest, and loses these when they are frozen.",
)  # fmt: skip
@click.option(
    "--file", "files", metavar="JSONL", multiple=True, type=click.Path(path_type=Path), help="Rows of your own."
)
def add(
    name: str, tasks: tuple[str, ...], modes: tuple[str, ...], share: float, files: tuple[Path, ...]
) -> None:  # fmt: skip
    """Add samples to the draft of NAME. What it holds already is not added twice.

    A row of a file is a JSON object with prompt, text or episode, and `cluster` where rows share their luck: a
    repository, a conversation.

    \b
    Examples:
      flywheel bench add regressions --task task-1f2e --task task-99ab
      flywheel bench add regressions --mode instruction_following
      flywheel bench add regressions --file ours.jsonl
    """
    from evals.benchmark.draft import add as add_to
    from evals.benchmark.draft import drafted, purpose_of
    from flywheel.benchmarks.sources import of_file, of_mode, of_tasks
    from models.errors import TerminalError

    if not (tasks or modes or files):
        raise TerminalError("what is to be added? Give --task ID, --mode MODE or --file JSONL")
    home = open_home()
    purpose_of(home, name)
    added = 0
    with open_event_log(home) as log:
        if tasks:
            added += add_to(home, name, of_tasks(home, log, purpose_of(home, name), tasks))
        for mode in modes:
            added += add_to(home, name, of_mode(home, purpose_of(home, name), mode, share))
        for file in files:
            added += add_to(home, name, of_file(home, purpose_of(home, name), file))
    click.echo(f"{added} samples added, {len(drafted(home, name))} in the draft of {name}")


@bench.command()
@placed
@click.argument("name")
@click.option("--replaces", type=click.IntRange(1), metavar="VERSION", help="The version that is worn.")
@click.option(
    "--leave-out-seen", is_flag=True, help="Leave out samples that a training set holds, in place of refusing."
)
def freeze(name: str, replaces: int | None, leave_out_seen: bool) -> None:
    """Freeze the draft of NAME as its next version, which changes no more, and issue the eval that runs it.

    A draft that holds something of a training set that was issued is refused, naming the rows.

    \b
    Examples:
      flywheel bench freeze regressions
      flywheel bench freeze regressions --replaces 1
    """
    from evals.benchmark.versions import wear
    from flywheel.benchmarks.freezing import freeze_draft

    home = open_home()
    with open_event_log(home) as log:
        done = freeze_draft(home, log, name, replaces=replaces, leave_out_seen=leave_out_seen)
    frozen = done.version.frozen
    for match in done.seen:
        click.echo(f"  left out {match.held}: {match.row} holds it")
    for gone in done.gone:
        click.echo(f"  left out {gone}: no longer there, or no longer held out")
    if not done.is_new:
        click.echo(f"{done.version.name} holds just what the draft does: nothing is frozen")
        return
    width = wear(done.version).first
    click.echo(
        f"{done.version.name}: {frozen.samples} samples in {frozen.clusters} clusters, spec {frozen.spec_id}, SHA-256 "
        f"{frozen.sha256[:12]}; its first interval is {100 * width:.0f} points wide"
    )


@bench.command("list")
@placed
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(as_json: bool) -> None:
    """Every benchmark: frozen versions with their wear, and drafts.

    \b
    Example:
      flywheel bench list
    """
    from evals.benchmark.draft import drafted, names
    from evals.benchmark.versions import versions

    home = existing_home()
    with open_event_log(home, looking=True) as log:
        frozen = versions(log)
    if as_json:
        click.echo(json.dumps([_facts(each) for each in frozen], indent=2))
        return
    table = Table("benchmark", "version", "samples", "clusters", "uses", "width", "state", box=box.SIMPLE_HEAD)
    for version in frozen:
        facts = _facts(version)
        table.add_row(
            facts["benchmark"], f"v{facts['version']}", str(facts["samples"]), str(facts["clusters"]),
            str(facts["uses"]), f"{100 * facts['width']:.0f} points", facts["state"],
        )  # fmt: skip
    for name in names(home):
        table.add_row(name, "draft", str(len(drafted(home, name))), "", "", "", "")
    show_table(table)


@bench.command()
@placed
@click.argument("name")
@click.option("--version", "number", type=click.IntRange(1), help="Default: the newest.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(name: str, number: int | None, as_json: bool) -> None:
    """One benchmark: what is frozen, whether its file is still that, who asked it, and how worn it is.

    \b
    Example:
      flywheel bench show regressions
    """
    from evals.benchmark.draft import drafted, purpose_of
    from evals.benchmark.versions import content_of, find, versions

    home = existing_home()
    with open_event_log(home, looking=True) as log:
        known = [each for each in versions(log) if each.frozen.benchmark == name]
        version = find(log, name, number) if known or number else None
    if version is None:
        purpose = purpose_of(home, name)
        click.echo(f"{name}: a draft of {len(drafted(home, name))} samples, scorer {purpose.scorer or 'not said yet'}")
        click.echo(f"freeze it: flywheel bench freeze {name}")
        return
    content_of(home, version)
    facts = _facts(version)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    frozen = version.frozen
    click.echo(
        f"{version.name}: {frozen.samples} samples in {frozen.clusters} clusters, spec {frozen.spec_id}, SHA-256 "
        f"{frozen.sha256}, as it was frozen"
    )
    table = Table("use", "of", "purpose", "told", box=box.SIMPLE_HEAD)
    for place, use in enumerate(version.uses, start=1):
        table.add_row(str(place), use.checkpoint_id, use.purpose, _told(use.purpose, use.better))
    if version.uses:
        show_table(table)
    click.echo(
        f"an interval of the next use is {100 * facts['width']:.0f} points wide, that of the first was "
        f"{100 * facts['first_width']:.0f}"
    )
    if facts["worn"]:
        click.echo(
            f"It is worn: too many answers were chosen by. Add fresh samples that nobody has looked at, and freeze "
            f"the next version: flywheel bench add {name} ... && flywheel bench freeze {name} --replaces "
            f"{frozen.version}"
        )
    else:
        click.echo(
            f"until it is worn: {facts['decisions_left']} more decisions that say no, or {facts['looks_left']} looks"
        )


@bench.command()
@placed
@click.argument("name")
@click.option("--checkpoint", metavar="ID", required=True, help="Which checkpoint is asked.")
@click.option("--against", metavar="ID", help="Only decide whether it is better than this one: tells yes or no.")
@click.option("--version", "number", type=click.IntRange(1), help="Default: the newest.")
@asking_options
def run(  # noqa: PLR0917
    name: str, checkpoint: str, against: str | None, number: int | None, parallel: int | None, max_usd: float | None,
    seconds: float, judge: str | None,
) -> None:  # fmt: skip
    """Run the frozen benchmark NAME on a checkpoint, here. The use is counted before its answer is given.

    A look tells a number, rounded to 5 points, with an interval that holds after all that was asked before; three of
    them wear a benchmark as much as dozens of decisions with --against, which tell yes or no.

    \b
    Examples:
      flywheel bench run regressions --checkpoint policy-2
      flywheel bench run regressions --checkpoint policy-2 --against policy-1
    """
    from evals.benchmark.versions import find, wear
    from evals.serve import Options
    from flywheel.benchmarks.asking import begin, decide, is_done, look
    from flywheel.loop import evaluate

    home = open_home()
    with open_event_log(home) as log:
        version = find(log, name, number)
        asked = begin(home, log, version, checkpoint, against)
        if not asked.is_of_tasks:
            with news() as tell:
                only = {job for job in (asked.job_id, asked.against_job_id) if job}
                evaluate(
                    home, log, tell, once=True, only=only, options=Options(parallel, max_usd, seconds), judge=judge
                )
        if not is_done(log, asked):
            serve = "tasks serve --once --agent COMMAND" if asked.is_of_tasks else "evals serve --once"
            click.echo(f"{version.name} is queued with {checkpoint}: flywheel {serve}, then this again")
            return
        if against:
            better = decide(home, log, version, asked, checkpoint)
            click.echo(f"{checkpoint} is {'better than' if better else 'not shown to be better than'} {against}")
        else:
            told = look(log, version, asked, checkpoint)
            missing = f", {told.missing} without a score" if told.missing else ""
            click.echo(
                f"{checkpoint}: about {100 * told.value:.0f}% on {told.scored} samples{missing}; between "
                f"{100 * told.interval.low:.0f} and {100 * told.interval.high:.0f}%, whatever was asked before"
            )
        worn = wear(find(log, name, version.frozen.version))
    if worn.worn:
        click.echo(f"{version.name} is worn: flywheel bench show {name}", err=True)


@bench.command()
@placed
@click.argument("name")
@click.option("--version", "number", type=click.IntRange(1), required=True)
@click.option("--reason", required=True, help="Kept on the log.")
def retire(name: str, number: int, reason: str) -> None:
    """End a version of NAME for good: it runs no more, and training may hold what was in it.

    \b
    Example:
      flywheel bench retire regressions --version 1 --reason "its file is lost"
    """
    from evals.benchmark.versions import find
    from flywheel.benchmarks.freezing import retire as end

    home = open_home()
    with open_event_log(home) as log:
        version = find(log, name, number)
        end(log, version, reason)
    click.echo(f"{version.name} has ended: {reason}")


@bench.command()
@placed
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="A JSON object a row, in place of a table.")
def guard(files: tuple[Path, ...], as_json: bool) -> None:
    """Compare training data with every frozen benchmark: exit status 1, naming the rows, where one holds some of it.

    Reads JSON Lines, JSON, CSV and Parquet (every text in a row) and plain text (a line a row). Found is the same text,
    nearly the same text, 13 words in a row, and the canary.

    \b
    Examples:
      flywheel bench guard train.jsonl more.parquet
      flywheel bench guard train.jsonl --json
    """
    from flywheel.benchmarks.training_files import rows
    from flywheel.held_out import index_of, said

    home = existing_home()
    with open_event_log(home, looking=True) as log:
        index = index_of(home, log)
    if index is None:
        click.echo("no benchmark is frozen: there is nothing to compare with")
        return
    found = [match for file in files for match in index.matches(rows(file))]
    if as_json:
        for match in found:
            click.echo(json.dumps(match._asdict(), ensure_ascii=False))
    elif found:
        table = Table("row", "has", "of", box=box.SIMPLE_HEAD)
        for match in found:
            table.add_row(match.row, said(match), match.held)
        show_table(table)
    click.echo(f"{len(found)} rows hold something of a private benchmark", err=True)
    sys.exit(1 if found else 0)


def _facts(version: Any) -> dict[str, Any]:
    from evals.benchmark.versions import wear

    worn = wear(version)
    state = (
        f"ended: {version.retired}"
        if version.retired
        else "worn"
        if worn.worn
        else "fresh"
        if not version.uses
        else "in use"
    )
    frozen = version.frozen
    return {
        "benchmark": frozen.benchmark, "version": frozen.version, "samples": frozen.samples,
        "clusters": frozen.clusters, "effective": version.effective, "sha256": frozen.sha256,
        "spec_id": frozen.spec_id, "replaces": frozen.replaces, "uses": len(version.uses),
        "first_width": round(worn.first, 4), "width": round(worn.now, 4), "worn": worn.worn,
        "decisions_left": worn.decisions_left, "looks_left": worn.looks_left, "state": state,
    }  # fmt: skip


def _told(purpose: str, better: bool | None) -> str:
    if purpose == "look":
        return "a number"
    return "not said" if better is None else "better" if better else "not better"


def _arguments(given: tuple[str, ...]) -> dict[str, Any]:
    from models.errors import TerminalError

    found: dict[str, Any] = {}
    for each in given:
        name, separator, value = each.partition("=")
        if not (separator and name):
            raise TerminalError(f"--arg {each!r} says no value: give NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
        if isinstance(found[name], (dict, list)):
            raise TerminalError(f"--arg {name}: a number, a text, true or false, not {value}")
    return found
