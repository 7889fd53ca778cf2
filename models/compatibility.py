"""Whether a new contract still reads what was written under an old one; both are documents of `models.asyncapi`.

Within a version only additions are allowed: a field that may be missing, a value more, a wider bound. Everything else
is a break, and so is what would give an event that is already in the lake another content hash: a retry of it would be
taken for a forgery. What a Python validator checks and JSON Schema can't say is not seen.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from models.asyncapi import KEY, READS, SCHEMAS, TOPIC, payload
from models.events.base import Json
from models.ids import canonical_json

TOLD = frozenset({"title", "description", "default", "discriminator", "examples", "required", "properties"})
"""Keywords that narrow nothing, or are compared field by field."""

AT_LEAST = frozenset({"minLength", "minItems", "minimum", "exclusiveMinimum"})
AT_MOST = frozenset({"maxLength", "maxItems", "maximum", "exclusiveMaximum"})

NONE = object()
"""Stands for a keyword, or a default, that is not there: null is one."""


class Break(NamedTuple):
    """Something that the old contract took, or meant, and the new one doesn't."""

    event: str
    field: str
    what: str

    def __str__(self) -> str:
        return f"{self.event}: field {self.field}: {self.what}"


def breaks(old: Json, new: Json) -> list[Break]:
    """What of `old` is broken in `new`, in the order of the event types; [] where `new` only adds."""
    sides, news, reads = _Sides(old, new), new["components"]["messages"], set(new[READS])
    envelope = {"$ref": SCHEMAS + "CloudEvent"}
    found = [Break("every event", field, what) for field, what in sides.narrowed(envelope, envelope)]
    for event, message in old["components"]["messages"].items():
        if event in news:
            found += _message(event, sides, message, news[event])
        elif event not in reads:
            found.append(Break(event, "type", "the event is gone, and no upcast brings it to a newer version"))
    gone = [event for event in old[READS] if event not in reads and event not in news]
    found += [Break(event, "type", "its upcast is gone: what was written then can't be read") for event in gone]
    return found


def _message(event: str, sides: "_Sides", old: Json, new: Json) -> Iterator[Break]:
    for what, place, way in (("topic", TOPIC, "stay in two topics"), ("key_field", KEY, "lose their order")):
        if old[place] != new[place]:
            yield Break(event, what, f"{old[place]!r} became {new[place]!r}: events of one key would {way}")
    for field, what in sides.narrowed(payload(old), payload(new)):
        yield Break(event, field, what)


class _Sides:
    """Compares schemas of two documents. Faults come as (field, what), the field with dots and [] for what is in it."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old: dict[str, Json] = old["components"]["schemas"]
        self._new: dict[str, Json] = new["components"]["schemas"]
        self._open: set[tuple[str, str]] = set()

    def narrowed(self, old: Json, new: Json, field: str = "") -> Iterator[tuple[str, str]]:
        """Where `new` refuses, or reads in another way, what `old` took."""
        names = old.get("$ref", ""), new.get("$ref", "")
        if names in self._open:
            return  # a model inside itself: its fields are being compared already
        if all(names):
            self._open.add(names)
        pairs = _alternatives(_resolved(old, self._old)), _alternatives(_resolved(new, self._new))
        for before in pairs[0]:
            yield from self._fits_none(before, pairs[1], field)
        self._open.discard(names)

    def _fits_none(self, old: Json, news: list[Json], field: str) -> Iterator[tuple[str, str]]:
        """Nothing if one of `news` takes all that `old` took, else the faults of the one that comes nearest."""
        old = _resolved(old, self._old)
        tried = [list(self._one(old, _resolved(new, self._new), field)) for new in news]
        alike = [
            faults for new, faults in zip(news, tried, strict=True) if _kind(_resolved(new, self._new)) == _kind(old)
        ]
        if [] in tried:
            return
        if alike:
            yield from min(alike, key=len)
        else:
            kinds = " or ".join(_kind(_resolved(new, self._new)) for new in news)
            yield field, f"it took {_kind(old)} and now takes only {kinds}"

    def _one(self, old: Json, new: Json, field: str) -> Iterator[tuple[str, str]]:
        """The same of two schemas without alternatives."""
        if not (new.keys() - TOLD or "properties" in new):
            return  # it takes anything
        if _kind(old) != _kind(new):
            yield field, f"{_kind(old)} became {_kind(new)}"
            return
        if missing := [value for value in _values(old) if value not in _values(new)]:
            yield field, f"it no longer takes {', '.join(map(repr, missing))}"
        elif "type" in old and not _values(old) and _values(new):
            yield field, f"it took any {old['type']} and now takes only {', '.join(map(repr, _values(new)))}"
        yield from self._bounds(old, new, field)
        if "properties" in old or "properties" in new:
            yield from self._fields(old, new, f"{field}." if field else "")

    def _bounds(self, old: Json, new: Json, field: str) -> Iterator[tuple[str, str]]:
        for keyword in sorted((old.keys() | new.keys()) - TOLD - {"type", "enum", "const"}):
            before, after = old.get(keyword, NONE), new.get(keyword, NONE)
            if isinstance(before, dict) and isinstance(after, dict):  # equal references may lead to other things
                yield from self.narrowed(cast(Json, before), cast(Json, after), f"{field}[]")
            elif before == after or after is NONE:
                continue  # as it was, or a bound less
            elif before is NONE or not (
                (keyword in AT_LEAST and after < before) or (keyword in AT_MOST and after > before)
            ):
                yield field, f"{keyword} was {_shown(before)} and is {_shown(after)}"

    def _fields(self, old: Json, new: Json, before: str) -> Iterator[tuple[str, str]]:
        """Field by field, of two objects."""
        olds, news = cast(dict[str, Json], old.get("properties", {})), cast(dict[str, Json], new.get("properties", {}))
        added = [name for name in news if name not in olds]
        for name, schema in olds.items():
            if name not in news:
                same = [each for each in added if _bare(news[each]) == _bare(schema)]
                yield before + name, f"it is gone (renamed to {same[0]}?)" if same else "it is gone"
                continue
            yield from self._presence(name in old.get("required", []), name in new.get("required", []),
                                      schema, news[name], before + name)  # fmt: skip
            yield from self.narrowed(schema, news[name], before + name)
        for name in added:
            if name in new.get("required", []):
                yield before + name, "it is new and required: events that were written before have none"

    def _presence(self, was: bool, is_: bool, old: Json, new: Json, field: str) -> Iterator[tuple[str, str]]:
        """Faults of being required, and of the default, which content hashes leave out."""
        default = new.get("default", NONE)
        if is_ and not was:
            yield field, "it was optional and is required"
        elif was and not is_ and (default is not None or _takes_null(_resolved(old, self._old), self._old)):
            yield (
                field,
                (
                    f"it was required and now has the default {_shown(default)}, which events may have said: they "
                    "would hash differently"
                ),
            )
        elif not was and not is_ and _shown(old.get("default", NONE)) != _shown(default):
            yield field, f"its default was {_shown(old.get('default', NONE))} and is {_shown(default)}"


def _resolved(schema: Json, schemas: dict[str, Json]) -> Json:
    """`schema`, with what it refers to in the place of the reference."""
    while "$ref" in schema:
        schema = {**schemas[schema["$ref"].removeprefix(SCHEMAS)], **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def _alternatives(schema: Json) -> list[Json]:
    return cast(list[Json], schema.get("anyOf") or schema.get("oneOf") or [schema])


def _takes_null(schema: Json, schemas: dict[str, Json]) -> bool:
    return any(_resolved(each, schemas).get("type") == "null" for each in _alternatives(schema))


def _kind(schema: Json) -> str:
    """What JSON calls it, with its format: `string`, `string (date-time)`."""
    kind = str(schema.get("type", "anything"))
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _values(schema: Json) -> list[Any]:
    """The values that it lists; [] where it lists none."""
    return [schema["const"]] if "const" in schema else list(schema.get("enum", []))


def _bare(schema: Json) -> str:
    """`schema` without what it says to people."""
    return canonical_json({name: part for name, part in schema.items() if name not in ("description", "default")})


def _shown(value: Any) -> str:
    return "not there" if value is NONE else canonical_json(value)
