"""`flywheel import`: files that other tools exported, onto the log."""

import time
from pathlib import Path

import click

from flywheel.place import open_event_log, open_home, placed
from flywheel.progress import bar
from ingest.home import Home
from ingest.importers import IMPORTERS, find
from ingest.importers.csv_mapping import KINDS
from ingest.importers.detect import detect
from ingest.importers.run import Account, import_file
from models.errors import TerminalError

FORMATS = "\b\nFormats:\n" + "\n".join(f"  {name:13}{IMPORTERS[name].help}" for name in sorted(IMPORTERS))
VALUES = "values.toml"
"""The home's own table of what values mean."""


@click.command("import", epilog=FORMATS)
@placed
@click.option("--format", "form", metavar="NAME", help="One of those below. Default: told by what is in the file.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN", help="csv: which column is what; repeatable.")
@click.option("--dates", type=click.Choice(["iso", "dmy", "mdy"]), help="csv: how 02/11/2026 is meant.")
@click.option("--zone", metavar="NAME", help="csv: zone of times that have none, as in Europe/Berlin. Default: UTC.")
@click.option("--scale", metavar="LOW..HIGH", help="csv: both ends of the ratings' scale, as in 1..5.")
@click.option("--target-kind", type=click.Choice(KINDS), help="csv: what the target column names.")
@click.option("--delimiter", metavar="CHAR", help="csv: what parts the columns; default: what the header suggests.")
@click.option("--source", metavar="NAME", help="Project or product the file is from, where it doesn't say.")
@click.option("--producer", metavar="NAME", help="Whose thumbs these are: their values mean what its table says.")
@click.option("--producer-version", "version", metavar="V", help="Its version, where the rows don't say.")
@click.option("--values", type=click.Path(path_type=Path), metavar="FILE", help="More tables of values (TOML).")
@click.option("--corrects", metavar="IMPORT", help="Id of the import whose rows these are, read rightly now.")
@click.option("--backfill", is_flag=True, help="Old events by the million: what comes fresh does not wait behind them.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_command(
    form: str | None, mapping: tuple[str, ...], values: Path | None, backfill: bool, files: tuple[Path, ...],
    **given: str | None,
) -> None:  # fmt: skip
    """Import FILES, or folders that are one export (gzip is read as it is). Importing a file again, or one that has
    grown, adds only what is new.

    \b
    Examples:
      flywheel import scores.jsonl.gz slack_export/
      flywheel import --format csv --map text="What went wrong?" --map author=Email --dates dmy dogfood.csv
      flywheel import --backfill two-years-of-traces.jsonl.gz
      flywheel import --producer chainlit --producer-version 1.0 thumbs.csv
      flywheel import --corrects import-0123456789abcdef --dates mdy dogfood.csv
    """
    importers = [find(form) if form else detect(path, IMPORTERS.values()) for path in files]
    options = {name: value for name, value in given.items() if value is not None}
    for pair in mapping:
        field, separator, column = pair.partition("=")
        if not separator:
            raise click.BadParameter(f"{pair!r} is not FIELD=COLUMN", param_hint="--map")
        options[f"map.{field}"] = column
    home, nothing = open_home(feeds=True), True
    if tables := _tables(home, values):
        options["values"] = tables
    with open_event_log(home) as log:
        for path, importer in zip(files, importers, strict=True):
            started = time.monotonic()
            with bar(path.name) as show:
                account = import_file(log, home, importer, path, options, show, backfill=backfill)
            rate = account.rows / max(time.monotonic() - started, 1e-3)
            click.echo(describe(path.name, account, None if form else importer.name))
            if account.rows >= 10_000:
                click.echo(f"  {rate:,.0f} rows/s")
            nothing = nothing and not (account.accepted or account.duplicate or account.without_feedback)
    if nothing:
        raise TerminalError("no row was accepted: see the reasons above")


def _tables(home: Home, values: Path | None) -> str:
    """The person's tables of values, those of the command first. Raises TerminalError for a file that isn't there."""
    try:
        given = values.read_text(encoding="utf-8") if values else ""
        kept = home.path / VALUES
        return given + ("\n" + kept.read_text(encoding="utf-8") if kept.is_file() else "")
    except (OSError, UnicodeDecodeError) as error:
        raise TerminalError(f"the table of values can't be read: {error}: name a TOML file") from error


def describe(name: str, account: Account, form: str | None = None) -> str:
    """What became of a file's rows, with each reason for a refusal; `form`: the format it was found to be of."""
    known = "imported before, nothing to do: " if account.already_imported else ""
    lines = [
        f"{name}{f' ({form})' if form else ''}: {known}{account.rows} rows: {account.accepted} accepted, "
        f"{account.duplicate} duplicate, {account.refused} refused, {account.without_feedback} without feedback; "
        f"{account.events} events written"
        + (f", {account.events_quarantined} to quarantine" if account.events_quarantined else "")
    ]
    lines += [f"  refused {count} x: {reason}" for reason, count in account.reasons.most_common(10)]
    lines += [f"  warning {count} x: {text}" for text, count in account.warnings.items()]
    lines += [
        f"  {count} of them say other things than {earlier} did of the same rows; if this reading is the right one: "
        f"flywheel import --corrects {earlier} ..."
        for earlier, count in account.contradicts.items()
    ]
    return "\n".join(lines)
