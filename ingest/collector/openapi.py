"""The interface as an OpenAPI 3.1 document made from the event models, and a page of it that needs no other network.

Litestar could do both, but its pages load their scripts from a CDN, and it knows nothing of bodies that we read
ourselves.
"""

from functools import cache
from html import escape
from typing import Any

import msgspec
import yaml
from litestar import MediaType, Response, get

from ingest.collector.answers import Answer, Fault
from ingest.collector.flat import ABOUT, KINDS, TARGETS, Kind
from ingest.collector.offered import SCOPE_OF
from models.events import type_name
from models.events.base import Json

VERSION = "1.0"
PATHS = (
    "/v1/events",
    *(f"/v1/{name}" for name in KINDS),
    "/v1/logs",
    "/healthz",
    "/readyz",
    "/metrics",
    "/schema",
    "/schema/openapi.json",
    "/schema/openapi.yaml",
)
REASON = {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}}
STATES = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 512}
NULL: Json = {"type": "null"}


def routes() -> list[Any]:
    """The document and its page."""

    @get("/schema/openapi.json")
    async def as_json() -> Response[bytes]:
        return Response(msgspec.json.encode(document()), media_type="application/json")

    @get("/schema/openapi.yaml")
    async def as_yaml() -> Response[str]:
        return Response(yaml.safe_dump(document(), sort_keys=False), media_type="application/yaml")

    @get(["/", "/schema"])
    async def page() -> Response[str]:
        return Response(_page(document()), media_type=MediaType.HTML)

    return [as_json, as_yaml, page]


@cache
def document() -> Json:
    """The OpenAPI document."""
    definitions: Json = {}
    paths: Json = {"/v1/events": {"post": _events()}}
    for name, kind in KINDS.items():
        paths[f"/v1/{name}"] = {"post": _flat(name, kind, definitions)}
    paths["/v1/logs"] = {"post": _logs()}
    for path, summary in (("/healthz", "Whether the program lives."), ("/metrics", "Prometheus.")):
        paths[path] = {"get": {"summary": summary, "security": [], "responses": {"200": {"description": "Yes."}}}}
    paths["/readyz"] = {
        "get": {
            "summary": "Whether the log answers.",
            "security": [],
            "responses": {"200": {"description": "It does."}, "503": {"description": "It does not."}},
        }
    }
    _, schemas = msgspec.json.schema_components([Answer, Fault], ref_template="#/components/schemas/{name}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Flywheel collector",
            "version": VERSION,
            "description": "Events over HTTP. Every event that is sent is in the log or was answered with a reason.",
        },
        "paths": paths,
        "components": {
            "schemas": {**definitions, **schemas},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
        "security": [{"bearer": []}, {"header": []}],
    }


def _responses() -> Json:
    retry = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return {
        "202": {"description": "At least one event is in the log.", "content": STATES},
        "400": {
            "description": "All events are refused, or the body or a header can't be read.",
            "content": {"application/json": {"schema": {"anyOf": [_ref("Answer"), _ref("Fault")]}}},
        },
        "401": {"description": "No key, or one that is unknown or revoked.", "content": REASON},
        "403": {
            "description": "The key may write none of the events.",
            "content": {"application/json": {"schema": {"anyOf": [_ref("Answer"), _ref("Fault")]}}},
        },
        "408": {"description": "The body came too slowly.", "content": REASON},
        "413": {
            "description": "The body, or each event, is too large.",
            "content": {"application/json": {"schema": {"anyOf": [_ref("Answer"), _ref("Fault")]}}},
        },
        "415": {"description": "A type or encoding that is not taken.", "content": REASON},
        "429": {"description": "The key's rate is spent; nothing was taken.", "content": REASON, "headers": retry},
        "503": {"description": "The log did not acknowledge. Send it again.", "content": REASON, "headers": retry},
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _parameters() -> list[Json]:
    return [
        {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1, "maxLength": 255}},
        {"name": "X-Request-Id", "in": "header", "schema": {"type": "string", "maxLength": 64}},
    ]


def _body(content: Json) -> Json:
    return {"required": True, "content": content}


def _events() -> Json:
    event: Json = {
        "type": "object",
        "required": ["specversion", "type", "data"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": NAME,
            "source": NAME,
            "type": {"enum": sorted(type_ for type_, scope in SCOPE_OF.items() if scope != "internal")},
            "time": {"type": "string", "format": "date-time"},
            "data": {"type": "object"},
        },
    }
    batch = {"type": "array", "items": event}
    return {
        "summary": "CloudEvents: one, or a batch.",
        "description": "Binary mode: application/json with ce- headers. Schemas of the types: flywheel events schema.",
        "operationId": "events",
        "parameters": _parameters(),
        "requestBody": _body(
            {
                "application/cloudevents+json": {"schema": event},
                "application/cloudevents-batch+json": {"schema": batch},
                "application/json": {"schema": {"anyOf": [event, batch]}},
            }
        ),
        "responses": _responses(),
    }


def _flat(name: str, kind: Kind, definitions: Json) -> Json:
    schema = kind.event.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions.update(schema.get("$defs", {}))
    own: Json = schema["properties"]
    known = {field: own.get(field, _flat_field(field)) for field in sorted(kind.known)}
    known["occurred_at"] = {"type": "string", "format": "date-time"}
    known["id"] = known["source"] = NAME
    if "target" in known and kind.event.model_fields["target"].is_required():
        known["target"] = {"anyOf": [known["target"], NULL]}
    if name == "scores":
        known["value"] = {"type": ["number", "boolean", "string", "null"]}
    for field in ("author", "data_type"):
        if field in known:
            known[field] = {"anyOf": [known[field], NULL]}
    flat = {"type": "object", "required": [*kind.required], "additionalProperties": False, "properties": known}
    definitions[kind.event.__name__] = flat
    one = _ref(kind.event.__name__)
    scope = SCOPE_OF[type_name(kind.event)]  # pyright: ignore[reportArgumentType]
    return {
        "summary": f"{kind.event.__name__}: one, or a list.",
        "description": f"{(kind.event.__doc__ or '').strip()} Scope: {scope}.",
        "operationId": name,
        "parameters": _parameters(),
        "requestBody": _body({"application/json": {"schema": {"anyOf": [one, {"type": "array", "items": one}]}}}),
        "responses": _responses(),
    }


def _flat_field(field: str) -> Json:
    if field == "author_kind":
        return {"enum": ["human", "llm", "code", None]}
    if field in ABOUT or field in TARGETS:
        return {"anyOf": [NAME, NULL]}
    return {"type": ["string", "null"]}


def _logs() -> Json:
    schema: Json = {"type": "object", "properties": {"resourceLogs": {"type": "array", "items": {"type": "object"}}}}
    status = {"application/json": {"schema": {"type": "object", "required": ["code", "message"]}}}
    answers: Json = {code: {**answer, "content": status} for code, answer in _responses().items() if code != "202"}
    return {
        "summary": "OTLP/HTTP logs in JSON: gen_ai.evaluation.result.",
        "operationId": "logs",
        "parameters": _parameters(),
        "requestBody": _body({"application/json": {"schema": schema}}),
        "responses": {
            "200": {
                "description": "Taken; partialSuccess says what was not.",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            **answers,
        },
    }


def _page(said: Json) -> str:
    rows = "".join(
        f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(operation['summary'])} "
        f"{escape(operation.get('description', ''))}</td></tr>"
        for path, methods in said["paths"].items()
        for method, operation in methods.items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Flywheel collector</title>"
        "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "td{padding:.3em 1em .3em 0;vertical-align:top;border-top:1px solid #ccc}</style>"
        f"<h1>Flywheel collector</h1><p>{escape(said['info']['description'])}</p>"
        '<p>The whole interface: <a href="/schema/openapi.json">openapi.json</a>, '
        '<a href="/schema/openapi.yaml">openapi.yaml</a>.</p>'
        f"<table>{rows}</table></html>"
    )
