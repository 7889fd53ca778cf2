"""`flywheel import`: files that other tools exported, onto the log."""

from pathlib import Path

import click

from flywheel.place import open_event_log, open_home, placed
from flywheel.progress import bar
from ingest.importers import IMPORTERS, find
from ingest.importers.csv_mapping import KINDS
from ingest.importers.run import Account, import_file
from models.errors import TerminalError


@click.command("import")
@placed
@click.option("--format", "form", required=True, metavar="NAME", help=f"One of: {', '.join(sorted(IMPORTERS))}.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN", help="csv: which column is what; repeatable.")
@click.option("--dates", type=click.Choice(["iso", "dmy", "mdy"]), help="csv: how 02/11/2026 is meant.")
@click.option("--zone", metavar="NAME", help="csv: zone of times that have none, as in Europe/Berlin. Default: UTC.")
@click.option("--scale", metavar="LOW..HIGH", help="csv: both ends of the ratings' scale, as in 1..5.")
@click.option("--target-kind", type=click.Choice(KINDS), help="csv: what the target column names.")
@click.option("--delimiter", metavar="CHAR", help="csv: what parts the columns; default: what the header suggests.")
@click.option("--source", metavar="NAME", help="Project or product the file is from, where it doesn't say.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_command(form: str, mapping: tuple[str, ...], files: tuple[Path, ...], **given: str | None) -> None:
    """Import FILES (gzip is read as it is). Importing a file again, or one that has grown, adds only what is new.

    \b
    Examples:
      flywheel import --format langfuse scores.jsonl.gz
      flywheel import --format csv --map text="What went wrong?" --map author=Email --dates dmy dogfood.csv
    """
    importer = find(form)
    options = {name: value for name, value in given.items() if value is not None}
    for pair in mapping:
        field, separator, column = pair.partition("=")
        if not separator:
            raise click.BadParameter(f"{pair!r} is not FIELD=COLUMN", param_hint="--map")
        options[f"map.{field}"] = column
    home, nothing = open_home(feeds=True), True
    with open_event_log(home) as log:
        for path in files:
            with bar(path.name) as show:
                account = import_file(log, home, importer, path, options, show)
            click.echo(describe(path.name, account))
            nothing = nothing and not (account.accepted or account.duplicate or account.without_feedback)
    if nothing:
        raise TerminalError("no row was accepted: see the reasons above")


def describe(name: str, account: Account) -> str:
    """What became of a file's rows, with each reason for a refusal."""
    known = "imported before, nothing to do: " if account.already_imported else ""
    lines = [
        f"{name}: {known}{account.rows} rows: {account.accepted} accepted, {account.duplicate} duplicate, "
        f"{account.refused} refused, {account.without_feedback} without feedback; {account.events} events written"
        + (f", {account.events_quarantined} to quarantine" if account.events_quarantined else "")
    ]
    lines += [f"  refused {count} x: {reason}" for reason, count in account.reasons.most_common(10)]
    return "\n".join(lines)
