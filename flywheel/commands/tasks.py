"""`flywheel tasks`: hard verifiable tasks, made by deleting a feature until its tests fail."""

import json
import shutil
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.commands.task_agents import agent_of, agent_options
from flywheel.commands.task_grades import attempt, grade, serve
from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.tables import show

KINDS = ("function", "class", "cluster", "files")


@click.group()
@placed
def tasks() -> None:
    """Tasks that tests verify: make them of a repository, look at them, certify them, grade attempts.

    All code of a repository runs in a clean room (bubblewrap): no history, no network, nothing of this machine.

    \b
    Examples:
      flywheel tasks generate ~/src/toolz --want 20
      flywheel tasks list
      flywheel tasks grade task-1f2e --tree attempt/ --json
    """


tasks.add_command(grade)
tasks.add_command(attempt)
tasks.add_command(serve)


@tasks.command()
@placed
@click.argument("repo", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--package", help="Which package, where the repository has several.")
@click.option("--want", type=click.IntRange(1, 10_000), default=20, show_default=True, help="So many tasks at most.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="What may be cut; default: all kinds.")
@click.option("--difficulty", type=click.Choice(["easy", "medium", "hard"]), help="Only such; default: all.")
@click.option("--tool", "tools", multiple=True, help="A distribution that its tests need, beside pytest.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--minutes", type=Between(min=0, min_open=True), default=60.0, show_default=True, help="Then no more.")
@click.option("--trials", type=click.IntRange(1, 100), default=3, show_default=True, help="Of the baseline agent.")
@agent_options
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def generate(  # noqa: PLR0917
    repo: Path, package: str | None, want: int, kinds: tuple[str, ...], difficulty: Any, tools: tuple[str, ...],
    seed: int, minutes: float, trials: int, agent: str | None, endpoint: str | None, model: str | None,
    key_file: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Make tasks of the Python package in REPO, certify them, and issue specs for them.

    A feature is cut; the tests that fail by it are found by running; bodies that say nothing must fail, the code as it
    was must pass three times, wrong variants of it must be caught; hidden cases are recorded from the suite. Tasks lie
    in the home's `tasks/`; `private/` below each is the grader's alone. With an agent, each is tried --trials times,
    and its pass rate stands beside the estimate of its difficulty.

    \b
    Examples:
      flywheel tasks generate ~/src/toolz --want 20
      flywheel tasks generate ~/src/toolz --endpoint http://127.0.0.1:8000/v1 --model small-1
      flywheel tasks generate ~/src/sqlparse --kind cluster --difficulty hard --want 5
    """
    from evals.tasks.attempts import pass_rate
    from evals.tasks.certified import announce
    from evals.tasks.generate.run import generate as make
    from evals.tasks.store import tasks_folder
    from flywheel.progress import bar
    from flywheel.task_specs import issue_specs

    home = open_home(feeds=True)
    who = agent_of(agent, endpoint, model, key_file) if agent or endpoint else None
    with bar(repo.name) as progress:
        report = make(
            repo, tasks_folder(home), package=package, want=want, kinds=kinds or KINDS,  # type: ignore[arg-type]
            dial=difficulty, seed=seed, tool_names=("pytest", *tools), seconds=60 * minutes, show=progress,
            baseline_agent=(lambda folder: pass_rate(folder, who, trials)) if who else None,
        )  # fmt: skip
    with open_event_log(home) as log:
        announce(home, log, [made.task_id for made in report.tasks])
        issued = issue_specs(home, log)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
        return
    killed, mutants = report.killed
    click.echo(
        f"{len(report.tasks)} tasks of {report.package} {report.version} in {report.seconds:.0f} s "
        f"({report.per_minute:.1f} a minute; {report.tried} candidates tried; {killed} of {mutants} mutants killed)"
    )
    show(_made(report.tasks))
    for what, said in (("dropped", report.dropped), ("tests left out", report.left_out)):
        for why, count in sorted(said.items(), key=lambda each: -each[1]):
            click.echo(f"  {what}: {count} {why}")
    for note in report.notes:
        click.echo(f"  {note}")
    click.echo(f"{issued} specs issued; look: flywheel tasks list; flywheel tasks try {_example(report)}")


def _example(report: Any) -> str:
    return report.tasks[0].task_id if report.tasks else "TASK"


def _made(made: Any) -> Table:
    table = Table("task", "kind", "what", "lines", "hard", "tests", "hidden", "mutants", "passed", box=box.SIMPLE_HEAD)
    for each in made:
        table.add_row(
            each.task_id, each.kind, ", ".join(each.units)[:60], str(each.lines), f"{each.estimate:.2f}",
            f"{each.fail_to_pass}+{each.pass_to_pass}", str(each.hidden),
            f"{each.mutants_killed}/{each.mutants}{' weak' if each.weak else ''}",
            "" if each.pass_rate is None else f"{each.pass_rate:.0%}",
        )  # fmt: skip
    return table


@tasks.command(name="list")
@placed
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_tasks(as_json: bool) -> None:
    """Every task that lies in the home.

    \b
    Example:
      flywheel tasks list --json
    """
    from evals.tasks.store import all_tasks

    every = [parts.task for parts in all_tasks(existing_home())]
    if as_json:
        click.echo(json.dumps([_facts(task) for task in every], indent=2))
        return
    if not every:
        click.echo("no tasks yet: flywheel tasks generate REPO")
        return
    table = Table("task", "package", "kind", "what", "lines", "hard", "tests", box=box.SIMPLE_HEAD)
    for task in every:
        table.add_row(
            task.task_id, f"{task.package} {task.version}", task.kind, ", ".join(_units(task))[:60],
            str(task.difficulty.lines), f"{task.difficulty.estimate:.2f}",
            f"{len(task.fail_to_pass)}+{len(task.pass_to_pass)}",
        )  # fmt: skip
    show(table)


def _units(task: Any) -> list[str]:
    return [f"{unit.module}:{unit.qualname}".rstrip(":") for unit in task.units]


def _facts(task: Any) -> dict[str, Any]:
    return task.model_dump(mode="json", exclude={"instructions", "test_files"})


@tasks.command(name="show")
@placed
@click.argument("task")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--gold", is_flag=True, help="With the solution, as a diff.")
def show_task(task: str, as_json: bool, gold: bool) -> None:
    """What TASK (an id, the beginning of one, or a folder) asks for, and how it is checked.

    \b
    Examples:
      flywheel tasks show task-1f2e
      flywheel tasks show task-1f2e --gold
    """
    from evals.tasks.folder import read
    from evals.tasks.store import find

    parts = read(find(existing_home(), task))
    if as_json:
        click.echo(json.dumps({**_facts(parts.task), "instructions": parts.task.instructions}, indent=2))
        return
    click.echo(parts.task.instructions)
    hard = parts.task.difficulty
    click.echo(
        f"\n{parts.task.task_id}: {hard.lines} lines in {hard.files} files, difficulty {hard.estimate:.2f}; "
        f"{len(parts.task.fail_to_pass)} tests must come to pass, {len(parts.task.pass_to_pass)} go on to, "
        f"{len(parts.hidden.cases)} hidden cases"
    )
    if gold:
        click.echo(parts.patch)


@tasks.command(name="try")
@placed
@click.argument("task")
@click.option("--into", type=click.Path(path_type=Path), help="Keep the tree in this new folder when you leave.")
@click.option("--command", default="bash", show_default=True, help="What to start in the room.")
def try_task(task: str, into: Path | None, command: str) -> None:
    """Open the room of TASK for a person: its tree, its tools, no network; grade what you left afterwards.

    \b
    Examples:
      flywheel tasks try task-1f2e --into attempt
      flywheel tasks grade task-1f2e --tree attempt
    """
    from evals.tasks.folder import read
    from evals.tasks.opened import opened, person
    from evals.tasks.store import find
    from models.errors import TerminalError

    if into is not None and into.exists():
        raise TerminalError(f"{into} is there already: give --into a new folder")
    parts = read(find(existing_home(), task))
    click.echo(parts.task.instructions)
    click.echo("\nYou are in the room now; leave it with exit or Ctrl-D.", err=True)
    with opened(parts) as room:
        code = person(room, command.split())
        if into is not None:
            shutil.copytree(room.tree, into, symlinks=True)
            click.echo(f"kept in {into}: flywheel tasks grade {parts.task.task_id} --tree {into}")
    if code:
        click.echo(f"{command} ended with {code}", err=True)


@tasks.command()
@placed
@click.argument("task_names", metavar="[TASK]...", nargs=-1)
@click.option("--quick", is_flag=True, help="Once instead of three times, and without the rest of the suite.")
def certify(task_names: tuple[str, ...], quick: bool) -> None:
    """Repeat every check of TASKs (default: all), sign what holds, withdraw what doesn't; exit status 1 if any fails.

    \b
    Examples:
      flywheel tasks certify
      flywheel tasks certify task-1f2e --quick
    """
    from evals.tasks.certified import certified
    from evals.tasks.store import find, task_ids

    home = existing_home()
    failed = 0
    names = task_names or tuple(task_ids(home))
    if not names:
        click.echo("no tasks yet: flywheel tasks generate REPO")
    with open_event_log(home) as log:
        for name in names:
            found = certified(home, log, find(home, name), quick=quick)
            failed += bool(found.problems)
            said = "withdrawn: " + "; ".join(found.problems[:3]) if found.problems else (
                f"certified: {found.killed} of {found.mutants} mutants killed"
            )  # fmt: skip
            click.echo(f"{found.parts.task.task_id} {said}")
    if failed:
        raise SystemExit(1)


@tasks.command()
@placed
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--format", "to", type=click.Choice(["harbor", "inspect"]), required=True)
def export(folder: Path, to: str) -> None:
    """Write every task of the home below FOLDER, for Harbor or for Inspect.

    \b
    Examples:
      flywheel tasks export out/harbor --format harbor
      flywheel tasks export out/inspect --format inspect
    """
    from evals.tasks.export.harbor import write_harbor
    from evals.tasks.export.inspect_folder import write_inspect
    from evals.tasks.store import all_tasks, tasks_folder

    home = existing_home()
    every = all_tasks(home)
    if not every:
        click.echo("no tasks yet: flywheel tasks generate REPO")
        return
    if to == "harbor":
        for parts in every:
            write_harbor(parts, folder)
        click.echo(f"{len(every)} tasks in {folder}: harbor run --path {folder} ...")
        return
    script = write_inspect(tasks_folder(home), folder)
    click.echo(f"{len(every)} tasks in {folder}: inspect eval {script} --model ...")
