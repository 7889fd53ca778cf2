"""`flywheel keys`: who may write to the collector, and who may see the dashboards."""

import json

import click
from rich.table import Table

from flywheel.place import existing_home, open_home, placed
from flywheel.tables import show
from ingest.collector.keys import SCOPES, Scope
from ingest.collector.keys import create as create_key
from ingest.collector.keys import read as read_keys
from ingest.collector.keys import revoke as revoke_key


@click.group()
@placed
def keys() -> None:
    """Keys of the collector and the dashboards. They are kept as hashes: a key is shown once, when it is created.

    \b
    Example:
      flywheel keys create --name web --scope feedback --scope experiments
    """


@keys.command()
@placed
@click.option("--name", required=True, help="Who has it: a product, a team.")
@click.option("--source", help="It writes as this source and those below it; * is any. Default: the name.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Repeatable. Default: feedback.")
def create(name: str, source: str | None, scopes: tuple[Scope, ...]) -> None:
    """Create a key and print it.

    \b
    Examples:
      flywheel keys create --name web                     may send feedback and responses
      flywheel keys create --name legal --scope erase     may ask for erasures
      flywheel keys create --name lead --scope reader     may see the dashboards, comments too (viewer: numbers)
    """
    key, secret = create_key(
        open_home(feeds=True), name, name if source is None else source, tuple(dict.fromkeys(scopes)) or ("feedback",)
    )
    click.echo(secret)
    may = ", ".join(key.scopes)
    click.echo(f"key {key.key_id} ({key.name}): writes as {key.source}, may {may}. It is not shown again.", err=True)


@keys.command("list")
@placed
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(as_json: bool) -> None:
    """The keys, without what is secret about them.

    \b
    Example:
      flywheel keys list
    """
    found = [key.model_dump(mode="json", exclude={"sha256"}) for key in read_keys(existing_home())]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    table = Table("key", "name", "writes as", "may", "created", "revoked")
    for key in found:
        may = ", ".join(key["scopes"])
        table.add_row(key["key_id"], key["name"], key["source"], may, key["created_at"], key["revoked_at"] or "")
    show(table)


@keys.command()
@placed
@click.argument("name")
def revoke(name: str) -> None:
    """Make the key with this NAME or id useless at once, also for collectors that run.

    \b
    Example:
      flywheel keys revoke web
    """
    key = revoke_key(existing_home(), name)
    click.echo(f"key {key.key_id} ({key.name}) is revoked")
