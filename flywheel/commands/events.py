"""`flywheel events schema`: JSON Schema of every event, for producers in other languages."""

import json
from pathlib import Path

import click

from flywheel.place import placed
from models.events import EVENT_TYPES, type_name
from models.events.base import ENVELOPE, Event, Json


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


def _schema(event: type[Event]) -> Json:
    """The envelope that stands in the log, with the event's payload as `data`."""
    inner = event.model_json_schema(mode="validation")
    fields: Json = inner["properties"]
    name: str = fields["type"]["const"]
    required: list[str] = inner.get("required", [])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:flywheel:schema:{name}",
        "title": event.__name__,
        "description": inner.get("description", ""),
        "type": "object",
        "required": ["specversion", "id", "source", "type", "data"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {"type": "string", "minLength": 1},
            "source": {"type": "string", "minLength": 1},
            "type": {"const": name},
            "time": {"type": "string", "format": "date-time"},
            "subject": {"type": "string"},
            "importid": {"type": "string"},
            "importrow": {"type": "integer"},
            "data": {
                "type": "object",
                "properties": {field: schema for field, schema in fields.items() if field not in ENVELOPE},
                "required": [field for field in required if field not in ENVELOPE],
            },
        },
        "$defs": inner.get("$defs", {}),
    }
