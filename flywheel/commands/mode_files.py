"""`flywheel modes import` and `export`: a team's taxonomy as a YAML file."""

from datetime import UTC, datetime
from pathlib import Path

import click

from flywheel.commands.mode_changes import NEXT, person, signed
from flywheel.place import existing_home, open_event_log, open_home, placed
from ingest.durable import replace as write
from ingest.log import publish
from models.errors import TerminalError
from transforms.taxonomy.changes import Word
from transforms.taxonomy.taxonomy_file import LEARNT_FROM, changes, dump, read
from transforms.taxonomy.told import told


@click.command("import")
@placed
@signed
@click.argument("file", metavar="FILE.yaml", type=click.Path(exists=True, dir_okay=False))
@click.option("--replace", is_flag=True, help="Retire every mode that the file does not name, built-in ones too.")
@click.option("--dry-run", is_flag=True, help="Say what it would change, and change nothing.")
def import_file(file: str, replace: bool, dry_run: bool, by: str | None, reason: str | None) -> None:
    """Take over a team's taxonomy from FILE.yaml, beside the built-in modes or in their place.

    The shape of the file is in docs/taxonomy.md. What it says already changes nothing, so it can be imported again.

    \b
    Examples:
      flywheel modes import taxonomy.yaml --dry-run
      flywheel modes import taxonomy.yaml --replace --by ann
    """
    content = read(file)
    home = open_home()
    with open_event_log(home) as log, home.lock("taxonomy"):
        word = Word(person(by), datetime.now(UTC), reason)
        found = changes(told(log).taxonomy, content, word, replace=replace)
        if not dry_run:
            publish(log, found.events)
    for event in found.events:
        click.echo(f"{event.type.split('.')[1].removeprefix('mode_')}: {event.mode_id}")
    for mode in found.unlearnt:
        click.echo(f"{mode}: fewer than {LEARNT_FROM} examples: only comments that it names will show it", err=True)
    if not found.events:
        click.echo(f"nothing to do: the taxonomy says what {file} says")
    else:
        click.echo("nothing was written (--dry-run)" if dry_run else NEXT)


@click.command("export")
@placed
@click.option("--out", metavar="FILE.yaml", type=click.Path(path_type=Path), help="Default: standard output.")
def export_file(out: Path | None) -> None:
    """The modes that stand as a YAML file, which `flywheel modes import` takes back. Proposed ones are left out.

    \b
    Example:
      flywheel modes export --out taxonomy.yaml
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        text = dump(told(log).taxonomy)
    if out is None:
        click.echo(text, nl=False)
        return
    if out.is_dir():
        raise TerminalError(f"--out {out} is a folder: name a file in it")
    write(out.absolute(), text.encode())
    click.echo(f"taxonomy: {out.absolute()}", err=True)
