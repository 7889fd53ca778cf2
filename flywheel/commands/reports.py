"""`flywheel reports`: what rules find wrong in rollouts and conversations, and how often they are right."""

import time
from datetime import UTC, datetime

import click
from rich import box
from rich.table import Table

from flywheel import tables
from flywheel.place import existing_home, home_path, open_event_log, open_home, placed
from flywheel.watch import patiently
from ingest.home import Home
from ingest.log import publish
from ingest.reader import query
from ingest.reports import RULES
from models.errors import FlywheelError, TerminalError
from models.feedback import Target

EVERY_S = 5.0
"""How often `--watch` looks. A look at a lake with nothing new reads the ends of its files."""

PRECISION = """
select rule, rule_version, sum(labelled) as labelled, sum(judged_right) as judged_right
from fct_rule_precision group by rule, rule_version
"""
REPORTS = """
select event_id, rule, rule_version, target_id, text from fct_automated_reports
where (? is null or rule = ?) and (not ? or labels = 0)
order by happened_at desc, event_id limit ?
"""
ONE = "select event_key, target_kind, target_id from fct_automated_reports where event_id = ? or event_key = ?"


@click.group()
@placed
def reports() -> None:
    """Automated reports: rules look at rollouts and conversations and file what went wrong.

    \b
    Examples:
      flywheel reports run
      flywheel reports list --rule endless_loop
      flywheel reports label 8f0c1c9e-... --right
    """


@reports.command()
@placed
@click.option("--watch", is_flag=True, help="Look again every few seconds, until stopped.")
def run(watch: bool) -> None:
    """Show the rules what has landed since they last looked, and file what they find.

    Each version of a rule sees each rollout and response once; a new version sees all of them again. Run
    `flywheel sink` before it.

    \b
    Example:
      flywheel sink --once && flywheel reports run && flywheel sink --once && flywheel build
    """
    from ingest.reports.run import run as run_rules

    home = open_home()

    def look() -> None:
        with open_event_log(home) as log:
            done = run_rules(home, log)
        if done.looked_at or not watch:
            by_rule = ", ".join(f"{count} {rule}" for rule, count in done.reports.items())
            click.echo(
                f"{done.looked_at:,} rollouts and turns looked at, {sum(done.reports.values()):,} reports filed"
                f"{': ' if by_rule else ''}{by_rule}"
            )

    while True:
        patiently(look, watch=watch)
        if not watch:
            return
        time.sleep(EVERY_S)


@reports.command()
@placed
def rules() -> None:
    """The rules: version, what they report, and their precision where labels say.

    \b
    Example:
      flywheel reports rules
    """
    measured = _measured()
    table = Table("rule", "version", "reports", "needs", "precision", box=box.SIMPLE_HEAD)
    for rule in RULES.values():
        right, labelled = measured.get((rule.name, rule.version), (0, 0))
        precision = f"{right / labelled:.0%} of {labelled}" if labelled else "not measured"
        table.add_row(rule.name, str(rule.version), rule.description, rule.needs, precision)
    tables.show(table)


@reports.command("list")
@placed
@click.option("--rule", type=click.Choice(sorted(RULES)), help="Only reports of this rule.")
@click.option("--unlabelled", is_flag=True, help="Only reports that nobody has judged yet.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
def list_(rule: str | None, unlabelled: bool, limit: int) -> None:
    """The newest automated reports of the published build, with the ids that `label` takes.

    \b
    Example:
      flywheel reports list --rule endless_loop --unlabelled
    """
    found = query(existing_home(), REPORTS, [rule, rule, unlabelled, limit])
    table = Table("report", "rule", "target", "what", box=box.SIMPLE_HEAD)
    for report, name, version, target, text in found.rows:
        table.add_row(report, f"{name}@{version}", target, text)
    tables.show(table)


@reports.command()
@placed
@click.argument("report")
@click.option("--right/--wrong", "right", default=None, help="Whether what the report says is so, and is a fault.")
@click.option("--author", help="Who says so; the last verdict of an author counts.")
def label(report: str, right: bool | None, author: str | None) -> None:
    """Say whether REPORT (an id of `flywheel reports list`) is right: the precision of rules is measured by it.

    \b
    Example:
      flywheel reports label 8f0c1c9e-2f53-5f0e-9a53-0d1a5c2f7e11 --wrong --author reviewer-1
    """
    from ingest.reports.filing import verdict

    if right is None:
        raise click.UsageError("Say --right or --wrong.")
    home = open_home()
    found = query(home, ONE, [report, report]).rows
    if len(found) != 1:
        raise TerminalError(
            f"no automated report {report} in the published build: flywheel reports list shows those that are, and a "
            "new one is there after flywheel sink --once && flywheel build"
        )
    key, kind, target = found[0]
    event = verdict(key, Target(kind=kind, id=target), right=right, author=author, at=datetime.now(UTC))
    with open_event_log(home) as log:
        publish(log, [event])
    click.echo(
        f"report {report} is {'right' if right else 'wrong'}: counted after flywheel sink --once && flywheel build"
    )


def _measured() -> dict[tuple[str, int], tuple[int, int]]:
    """(rule, version) -> (right, labelled) by the published build; {} where there is none."""
    try:
        rows = query(Home.existing(home_path()), PRECISION).rows
    except FlywheelError:
        return {}
    return {(rule, version): (int(right), int(labelled)) for rule, version, labelled, right in rows}
