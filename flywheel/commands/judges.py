"""`flywheel judges`: how far judges agree with people, and which may gate."""

import json
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import existing_home, open_event_log, open_home, placed
from flywheel.tables import show


@click.group()
@placed
def judges() -> None:
    """Judges, our own and those of imports: agreement with people, drift, and which of them may gate.

    \b
    Examples:
      flywheel judges list
      flywheel judges check
    """


@judges.command("list")
@placed
@click.option("--json", "as_json", is_flag=True, help="Every column of fct_judge_calibration, as JSON.")
def list_(as_json: bool) -> None:
    """Every judge with its labels, kappa and rates, as of the last build, and whether it may gate.

    \b
    Example:
      flywheel judges list
    """
    from flywheel.judges import calibrations

    rows = calibrations(existing_home())
    if as_json:
        click.echo(json.dumps(rows, indent=2, default=str))
        return
    table = Table(
        "judge", "version", "metric", "labels", "kappa", "right", "error", "swaps kept", "says yes", "corrected",
        "gates", box=box.SIMPLE_HEAD,
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row["judge_id"], row["judge_version"], row["metric"], str(row["labels"]),
            _between(row["kappa"], row["kappa_low"], row["kappa_high"]), _share(row["accuracy"]),
            _number(row["calibration_error"]), _share(row["swap_consistency"]), _share(row["raw_rate"]),
            _between(row["corrected_rate"], row["corrected_low"], row["corrected_high"]),
            "yes" if row["may_gate"] else f"no: {row['reason']}",
        )  # fmt: skip
    show(table)


@judges.command()
@placed
@click.option("--dry-run", is_flag=True, help="Only say what would be withdrawn.")
def check(dry_run: bool) -> None:
    """Take judges out of use that have drifted from people, or that people never agreed with, as of the last build.

    \b
    Examples:
      flywheel judges check
      flywheel judges check --dry-run
    """
    from flywheel.judges import check as check_all

    home = open_home()
    with open_event_log(home) as log:
        found = check_all(home, log, dry_run=dry_run)
    for each in found:
        click.echo(f"{'withdrawn' if each.is_withdrawn else 'to withdraw'}: {each.judge_id}: {each.reason}")
    if not found:
        click.echo("no judge is to be withdrawn")


def _share(value: Any) -> str:
    return "" if value is None else f"{value:.0%}"


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.2f}"


def _between(value: Any, low: Any, high: Any) -> str:
    return "" if value is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
