"""`flywheel events`: the contract for producers in other languages, as JSON Schema and as AsyncAPI."""

import json
from pathlib import Path

import click

from flywheel.place import placed
from models.asyncapi import document, type_name_of
from models.events import EVENT_TYPES, type_name
from models.events.base import Event, Json
from models.events.schema import envelope, payloads


@click.group()
@placed
def events() -> None:
    """The event types that the log understands.

    \b
    Example:
      flywheel events schema --out schemas
    """


@events.command()
@placed
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path, file_okay=False), help="Write a file a type here."
)
def schema(out: Path | None) -> None:
    """JSON Schema of every event, as CloudEvents 1.0 in structured mode.

    \b
    Examples:
      flywheel events schema                 all of them, one JSON object by type
      flywheel events schema --out schemas   schemas/feedback.thumb_given.v2.json, ...
    """
    schemas = {type_name(event): _schema(event) for event in EVENT_TYPES}
    if out is None:
        click.echo(json.dumps(schemas, indent=2))
        return
    out.mkdir(parents=True, exist_ok=True)
    for name, content in schemas.items():
        (out / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
    click.echo(f"{len(schemas)} schemas in {out}")


@events.command()
@placed
def asyncapi() -> None:
    """All events, their topics and Kafka's settings, as one AsyncAPI 3.0 document.

    \b
    Example:
      flywheel events asyncapi > asyncapi.json
    """
    click.echo(json.dumps(document(), indent=2, ensure_ascii=False))


def _schema(event: type[Event]) -> Json:
    """The envelope that stands in the log, with the event's payload as `data`."""
    bodies, shared = payloads([event], "#/$defs/{model}")
    (body,) = bodies.values()
    name, around = type_name_of(event), envelope()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:flywheel:schema:{name}",
        "title": event.__name__,
        **around,
        "description": body.pop("description"),
        "properties": {**around["properties"], "type": {"const": name}, "data": body},
        "$defs": shared,
    }
