"""Records as a log may hold them: events of every type in every spelling, and what is almost one, for hypothesis."""

import json
import types
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from annotated_types import Gt
from hypothesis import strategies as st
from pydantic import BaseModel, StringConstraints

from models.events import EVENT_TYPES
from models.events.base import ENVELOPE, Event
from models.events.thumb import ThumbGiven
from models.topics import TOPICS

Value = tuple[bytes, tuple[tuple[str, bytes], ...]]
"""A record's value and headers."""

TEXTS = st.text(alphabet=st.sampled_from('aZ09 _-/."\\\n\t\x7fé\u2028日😡'), min_size=1, max_size=12)
NUMBERS = st.sampled_from([0.0, 1.0, -2.5, 0.1, 1e-4, 9.9e-5, 1e15, 1e16, 1.5e300, 5e-324, 2.0**53, 1 / 3])
WHOLE = st.sampled_from([0, 1, -1, 7, 2**53 + 1, 2**63 - 1, -(2**63)])
NAMES = {64: "0123456789abcdef" * 4, 128: "job-1.a_b", 512: "sets/a.b/c-1"}
"""Texts that match the patterns of `models.ids`."""

TOKENS = st.sampled_from(
    [
        "null", "true", "false", "0", "-0", "-0.0", "1", "1.0", "1.5", "1e2", "1E-7", "1e16", "1e400", "NaN",
        "-Infinity", "01", "1.", "9007199254740993", "9223372036854775808", "-9223372036854775809",
        "1" * 30, "1" * 5_000, '""', '"x"', '"1"', '"up"', '"\\ud83d"', '"\\ud83d\\ude21"', '"\\u0000"', '"\\u00e9"',
        '"a\\nb"', '"a\nb"', '"a\x00b"', '"\\q"', '"\\/"', '"' + "n" * 512 + '"', '"' + "n" * 513 + '"', "[]", "{}",
        '["a"]', "[1, 2.5]", "[1e-9]", "[null]", '{"id":"a"}', '{"kind":"trace","id":"t"}',
        '{"kind":"trace","id":"t","kind":"span"}', '{"kind":"trace","id":"t","more":[1]}', "[" * 40 + "]" * 40,
        '"2026-11-02T10:00:00"', '"soon"',
    ]
)  # fmt: skip
"""JSON, and what is no JSON, to put in the place of a value."""

TIMES = st.sampled_from(
    [
        "2026-11-02T15:30:00Z", "2026-11-02T15:30:00.000000Z", "2026-11-02T15:30:00.120Z", "2026-11-02 15:30:00Z",
        "2026-11-02T23:30:00+08:00", "2026-11-02T23:30:00.1234567-05:30", "20261102T153000Z", "2026-W45-1T00:00:00Z",
        "2026-11-02T15:30:00", "2026-11-02T15:30:60Z", "2026-11-02T24:00:00Z", "2026-11-02T15:30:00+01:00:30",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00Z", "2026-11-02T15:30Z",
        "2026-11-02T15:30:00z", "2026-11-02T15:30:00+00:00", "2026-11-02T15:30:00,5Z", "2026-11-02T15:30:00+0100",
        "2026-11-02T15:30:00-00:00", "2026-02-30T00:00:00Z", "",
    ]
)  # fmt: skip
"""Times as producers write them, right and wrong."""


def of_model(model: type[BaseModel], left_out: frozenset[str] = frozenset()) -> st.SearchStrategy[dict[str, Any]]:
    """What `model` takes, as JSON types."""
    fields = {name: info for name, info in model.model_fields.items() if name not in left_out}
    kinds = {name: _of(info.annotation, list(info.metadata)) for name, info in fields.items()}
    return st.fixed_dictionaries(
        {name: kinds[name] for name, info in fields.items() if info.is_required()},
        optional={name: kinds[name] for name, info in fields.items() if not info.is_required()},
    )


def _of(annotation: Any, rules: list[Any]) -> st.SearchStrategy[Any]:
    if get_origin(annotation) is Annotated:
        return _of(get_args(annotation)[0], [*get_args(annotation)[1:], *rules])
    if get_origin(annotation) in (Union, types.UnionType):
        return st.one_of(*(_of(part, []) for part in get_args(annotation)))
    if get_origin(annotation) is Literal:
        return st.sampled_from(get_args(annotation))
    if get_origin(annotation) is tuple:
        return st.lists(_of(get_args(annotation)[0], []), min_size=2, max_size=3)
    if get_origin(annotation) is dict:
        return st.dictionaries(TEXTS, _of(get_args(annotation)[1], []), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return of_model(annotation)
    for rule in rules:
        if isinstance(rule, StringConstraints) and rule.pattern:
            return st.just(NAMES[rule.max_length or 64])
        if isinstance(rule, Gt):
            return NUMBERS.filter(lambda number: number > 0)
    kinds: dict[Any, st.SearchStrategy[Any]] = {
        str: TEXTS, float: NUMBERS, int: WHOLE, bool: st.booleans(), types.NoneType: st.none(),
    }  # fmt: skip
    return kinds[annotation]


class Raw(str):
    """A piece of text that stands for itself in JSON."""


class Pairs(list[tuple[str, Any]]):
    """An object that may have a name twice."""


def written(content: Any, *, ascii_only: bool = False, spaced: bool = False) -> str:
    """JSON of `content`, in which objects are `Pairs`."""
    colon, comma = (": ", ",\n ") if spaced else (":", ",")

    def inner(part: Any) -> str:
        return written(part, ascii_only=ascii_only, spaced=spaced)

    if isinstance(content, Raw):
        return str(content)
    if isinstance(content, Pairs):
        return "{" + comma.join(f"{inner(name)}{colon}{inner(value)}" for name, value in content) + "}"
    if isinstance(content, list):
        return "[" + comma.join(map(inner, cast(list[Any], content))) + "]"
    return json.dumps(content, ensure_ascii=ascii_only)


def _pairs(content: Any) -> Any:
    if isinstance(content, dict):
        return Pairs((name, _pairs(inner)) for name, inner in sorted(cast(dict[str, Any], content).items()))
    if isinstance(content, list):
        return [_pairs(inner) for inner in cast(list[Any], content)]
    return content


def _spoiled(draw: st.DrawFn, pairs: Pairs) -> None:
    """Change one thing, somewhere in `pairs`."""
    if not pairs:
        return
    at = draw(st.integers(0, len(pairs) - 1))
    name, inner = pairs[at]
    while isinstance(inner, list) and inner and not isinstance(inner, Pairs):
        inner = cast(list[Any], inner)[0]
    what = draw(st.sampled_from(["value", "twice before", "twice after", "gone", "more", "deeper", "deeper"]))
    if what == "deeper" and isinstance(inner, Pairs):
        _spoiled(draw, inner)
    elif what == "twice before":
        pairs.insert(at, (name, Raw(draw(TOKENS))))
    elif what == "twice after":
        pairs.append((name, Raw(draw(TOKENS))))
    elif what == "gone":
        del pairs[at]
    elif what == "more":
        pairs.append((draw(st.sampled_from(["traceparent", "kind", "id", "repaired", "x"])), Raw(draw(TOKENS))))
    else:
        pairs[at] = (name, Raw(draw(TOKENS)))


@st.composite
def records(draw: st.DrawFn) -> tuple[str, Value]:
    """A topic, and a record that may have come on it."""
    event = draw(st.sampled_from(EVENT_TYPES))
    topic = event.topic if draw(st.integers(0, 19)) else draw(st.sampled_from(sorted(TOPICS)))
    return topic, draw(values(event))


@st.composite
def values(draw: st.DrawFn, event: type[Event]) -> Value:
    """A record that is an event of this type, in any spelling, or nearly one."""
    data = draw(of_model(event, ENVELOPE))
    type_ = str(event.model_fields["type"].default)
    if event is ThumbGiven and draw(st.booleans()):
        type_, data = "feedback.thumb_given.v1", {**data, "up": draw(st.booleans())}
    envelope: dict[str, Any] = {"specversion": "1.0", "id": draw(TEXTS), "source": "shop", "type": type_}
    more: dict[str, st.SearchStrategy[Any]] = {
        "time": TIMES, "subject": TEXTS, "dataschema": TEXTS, "datacontenttype": st.just("application/json"),
        "importid": TEXTS, "importrow": WHOLE, "repaired": st.booleans(),
    }  # fmt: skip
    envelope |= draw(st.fixed_dictionaries({}, optional=more))
    ascii_only, spaced = draw(st.booleans()), draw(st.booleans())
    changes = draw(st.sampled_from([0, 0, 1, 1, 2]))
    if draw(st.integers(0, 9)) == 0:  # binary mode
        headers = tuple((f"ce_{name}", str(value).encode()) for name, value in envelope.items())
        pairs = _pairs(data)
    else:
        structured = (("content-type", b"application/cloudevents+json"),)
        headers = draw(st.sampled_from([structured, structured, structured, (), (("CE_specversion", b"1.0"),)]))
        pairs = _pairs({**envelope, "data": data})
    for _ in range(changes):
        _spoiled(draw, pairs)
    value = written(pairs, ascii_only=ascii_only, spaced=spaced).encode()
    if draw(st.integers(0, 19)) == 0:
        broken = [b"", value[:-1], b"\xff" + value, value.replace(b"s", b"\xc3", 1), value + b"\x00"]
        value = draw(st.sampled_from(broken))
    return value, headers
