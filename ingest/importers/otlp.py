"""OpenTelemetry's JSON encoding: attributes to plain values, and where a trace's rows lie in a document."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from ingest.importers.base import Refused, text_of
from models.events.base import Json

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plain(value: Any) -> Any:
    """An `AnyValue`: {"stringValue": "x"} as "x", lists and maps inside out, 64-bit integers from their text."""
    if not isinstance(value, dict):
        return value
    for kind, content in cast(Json, value).items():
        if kind == "intValue":
            return int(content)
        if kind == "arrayValue":
            return [plain(each) for each in cast(list[Any], cast(Json, content or {}).get("values") or [])]
        if kind == "kvlistValue":
            return attributes(cast(Json, content or {}).get("values"))
        return content
    return None


def attributes(pairs: Any) -> Json:
    """A list of {"key", "value"} as a mapping. Raises Refused for an integer that is none."""
    try:
        return {str(pair["key"]): plain(pair.get("value")) for pair in _list(pairs) if "key" in pair}
    except (TypeError, ValueError, AttributeError) as error:
        raise Refused(f"an attribute can't be read: {error}") from error


def scoped(document: Json, resources: str, scopes: str, rows: str) -> list[Json]:
    """The rows of a document, each with its `resource` (attributes) and `scope` (name) beside its own fields."""
    return [
        {**row, "resource": _of(resource, "resource").get("attributes"), "scope": _of(scope, "scope").get("name")}
        for resource in _list(document.get(resources))
        for scope in _list(resource.get(scopes))
        for row in _list(scope.get(rows))
    ]


def moment(nanos: Any) -> datetime | None:
    """Nanoseconds since 1970, a number or its text; 0 is unknown. Raises Refused for what is none."""
    text = text_of(nanos)
    if text is None or text == "0":
        return None
    if not text.isdigit() or len(text) > 19:
        raise Refused(f"time {nanos!r} is no count of nanoseconds")
    return EPOCH + timedelta(microseconds=int(text) // 1_000)


def _list(content: Any) -> list[Any]:
    return [each for each in cast(list[Any], content) if isinstance(each, dict)] if isinstance(content, list) else []


def _of(content: Any, name: str) -> Json:
    found = cast(Json, content).get(name)
    return cast(Json, found) if isinstance(found, dict) else {}
