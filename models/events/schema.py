"""JSON Schema of events: the envelope that all share, and each event's payload with the docstrings of its fields.

What a Python validator checks and JSON Schema can't say is left out: parsing has the last word.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, cast, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from models.events.base import ENVELOPE, Event, Json

ATTRIBUTES = {"time": "occurred_at", "importid": "import_id", "importrow": "import_row", "repaired": "repaired"}
"""CloudEvents attribute -> the field of `Event` that it becomes, where the names differ or CloudEvents has none."""


def envelope() -> Json:
    """The CloudEvent 1.0 in structured mode around every payload. Other attributes are taken, and ignored."""
    fields, docs = _without_titles(Event.model_json_schema()["properties"]), _field_docs(Event)
    return {
        "description": "A CloudEvent 1.0 in structured mode. Attributes that are not listed are taken and ignored.",
        "type": "object",
        "required": ["specversion", "id", "source", "type", "data"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {**fields["id"], "description": "With the source, it identifies the event for ever."},
            "source": {**fields["source"], "description": docs["source"]},
            "type": {"type": "string", "description": "Name and version of the event."},
            "subject": {"type": "string", "description": "The record's key, as the log will have it."},
            "dataschema": {"type": "string"},
            "datacontenttype": {"type": "string"},
            **{name: {**fields[field], "description": docs[field]} for name, field in ATTRIBUTES.items()},
            "data": {"type": "object"},
        },
    }


def payloads(events: Sequence[type[Event]], ref_template: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """JSON Schema of each event's `data` by class name, and of the models that they share."""
    _, definitions = models_json_schema([(event, "validation") for event in events], ref_template=ref_template)
    schemas: dict[str, Json] = _without_titles(definitions["$defs"])
    for model in {each.__name__: each for event in events for each in _models_of(event)}.values():
        docs, properties = _field_docs(model), schemas.get(model.__name__, {}).get("properties", {})
        for field, text in docs.items():
            if field in properties:
                properties[field] = {**properties[field], "description": text}
    ours = {event.__name__: _payload(schemas.pop(event.__name__)) for event in events}
    return ours, schemas


def _payload(schema: Json) -> Json:
    """What is left of an event's schema without the envelope's fields."""
    return {
        "type": "object",
        "description": schema.get("description", ""),
        "properties": {name: field for name, field in schema["properties"].items() if name not in ENVELOPE},
        "required": [name for name in schema.get("required", []) if name not in ENVELOPE],
    }


def _without_titles(schema: Any) -> Any:
    """`schema` without the titles that pydantic makes of names. A field called `title` stays."""
    if isinstance(schema, dict):
        parts = cast(Json, schema).items()
        return {name: _without_titles(part) for name, part in parts if name != "title" or not isinstance(part, str)}
    if isinstance(schema, list):
        return [_without_titles(part) for part in cast(list[Any], schema)]
    return schema


def _models_of(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation, and those in their fields."""
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from _models_of(field.annotation)
    for part in get_args(annotation):
        yield from _models_of(part)


def _field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Field -> the text below it in the class, which is where this contract explains its fields."""
    docs: dict[str, str] = {}
    for ancestor in reversed(model.__mro__):
        if not issubclass(ancestor, BaseModel) or ancestor is BaseModel:
            continue
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(ancestor))).body[0]
        except (OSError, TypeError):
            continue  # made at run time: it has no source
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = _text(below)
                if text:
                    docs[field.target.id] = text
    return docs


def _text(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return None
