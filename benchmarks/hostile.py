"""Hostile requests: a corpus of good ones, broken in every way that we know, and shapes that hypothesis thinks of."""

import gzip
import json
import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from benchmarks.asgi import Sent
from ingest.collector.cloud_events import BATCH, JSON, STRUCTURED
from ingest.collector.flat import KINDS
from models.events import EVENT_TYPES, type_name

TYPES = [type_name(event) for event in EVENT_TYPES]
TARGET = {"kind": "response", "id": "r1"}
AUTHOR = {"kind": "human", "id": "u1"}
DATA: dict[str, dict[str, Any]] = {
    "feedback.thumb_given.v2": {"target": TARGET, "author": AUTHOR, "thumb": "down", "sequence": 3},
    "feedback.thumb_given.v1": {"target": TARGET, "author": AUTHOR, "up": True},
    "feedback.comment_left.v1": {"target": TARGET, "author": AUTHOR, "text": "too long"},
    "feedback.score_given.v1": {
        "target": TARGET, "author": AUTHOR, "metric": "quality", "data_type": "numeric", "value": 0.5, "scale_min": 0,
    },
    "feedback.report_filed.v1": {"author": AUTHOR, "kind": "dogfood", "text": "it looped", "steps": [1, 2]},
    "feedback.preference_given.v1": {
        "first": TARGET, "second": {**TARGET, "id": "r2"}, "author": AUTHOR, "choice": "tie",
    },
    "response.served.v1": {"response_id": "r1", "prompt": "hi", "latency_ms": 1.5, "tool_calls": 2},
    "response.rollout_recorded.v1": {
        "rollout_id": "o1", "steps": [{"role": "assistant", "text": "x", "calls": [{"tool": "t", "arguments": "{"}]}],
    },
    "experiment.exposure_logged.v1": {"experiment_id": "e", "variant": "a", "person_id": "u"},
    "experiment.metric_observed.v1": {"metric": "m", "value": 1},
    "privacy.erasure_requested.v1": {"person_id": "u"},
}  # fmt: skip
FLAT: dict[str, dict[str, Any]] = {
    "thumbs": {"response_id": "r1", "thumb": "up", "author_id": "u1", "comment": "fine", "reason": "tone"},
    "comments": {"span_id": "s1", "text": "too long"},
    "scores": {"trace_id": "t1", "metric": "quality", "value": 3, "scale_max": 5},
    "reports": {"text": "it looped", "rating": 2, "steps": [0, 1]},
    "responses": {"response_id": "r1", "prompt": "hi", "tool_calls": 3},
    "exposures": {"experiment_id": "e", "variant": "a", "person_id": "u"},
    "metrics": {"metric": "m", "value": 1.5, "person_id": "u"},
    "erasures": {"person_id": "u"},
}
OTLP: dict[str, Any] = {
    "resourceLogs": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "assistant"}}]},
            "scopeLogs": [
                {
                    "scope": {"name": "eval"},
                    "logRecords": [
                        {
                            "timeUnixNano": "1793750400000000000",
                            "eventName": "gen_ai.evaluation.result",
                            "spanId": "00f067aa0ba902b7",
                            "attributes": [
                                {"key": "gen_ai.evaluation.name", "value": {"stringValue": "user_feedback"}},
                                {"key": "gen_ai.evaluation.score.value", "value": {"intValue": "4"}},
                                {"key": "gen_ai.evaluation.explanation", "value": {"stringValue": "short"}},
                            ],
                        }
                    ],
                }
            ],
        }
    ]
}
VALUES = [
    "null", "true", "0", "-0", "-1", "1e999", "-1e999", "NaN", "Infinity", "9223372036854775808", "1" + "0" * 5_000,
    "1e-400", '""', '"\\u0000"', '"\\ud83d"', '"\\ud83d\\ude21"', '"\\udc00\\ud800"', '"' + "x" * 600 + '"', "[]", "{}",
    "[" * 50 + "]" * 50, "[" * 3_000 + "]" * 3_000, '{"a":' * 120 + "1" + "}" * 120, '"2026-13-45T99:99:99Z"',
    '"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59-23:59"', '"up"', '{"kind":"response","id":"r"}',
    '{"kind":"human","id":null}', "[1,2,3]",
    "'x'", '{"__proto__":{"a":1}}', '"\\n\\r"', "1.5", "18446744073709551616", '"' + "\u202e" + '"',
]  # fmt: skip
BYTES = [
    b"\x00", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xfe\xff", b'"', b"{", b"}",
    b"[", b"]", b",", b":", b"\\", b"\\u", b"\\ud83d", b"\\u0000", b"\n", b"1e5", b"//", b"\x1f\x8b", b"\xe2\x80\xa8",
]  # fmt: skip
MEDIA_TYPES = [
    b"text/plain", b"application/xml", b"", b"application/json; charset=utf-16", b"APPLICATION/JSON",
    b"application/cloudevents+avro", b"application/json, text/html", b"\xff\xfe", b"application/x-protobuf",
    b"multipart/form-data; boundary=x", b"application/json" + b";" * 500, b"*/*",
]  # fmt: skip
ODD_HEADERS: list[tuple[bytes, bytes]] = [
    (b"idempotency-key", b""), (b"idempotency-key", b"k" * 5_000), (b"idempotency-key", b"\x00\xff"),
    (b"idempotency-key", b'"quoted"'), (b"idempotency-key", b"same"), (b"x-request-id", b"a" * 9_000),
    (b"x-request-id", b"\xff\x00"), (b"content-length", b"-1"), (b"content-length", b"nine"),
    (b"content-length", b"99999999999999999999999"), (b"content-length", "\u0661".encode()), (b"host", b"evil.example"),
    (b"host", b"[::1"), (b"host", b""), (b"host", b"localhost:x"), (b"authorization", b"Bearer \xff"),
    (b"x-api-key", b"fw_" + b"0" * 12 + b"_" + b"a" * 43), (b"transfer-encoding", b"chunked"),
    (b"cookie", b"a" * 40_000), (b"accept", b"\xff"), (b"expect", b"100-continue"), (b"content-encoding", b"br"),
    (b"content-encoding", b"gzip, gzip"), (b"ce-specversion", b"1.0"), (b"ce-specversion", b"0.3"), (b"ce-id", b"%00"),
    (b"ce-id", b"%ff"),
    (b"ce-id", b"%"), (b"ce-id", b"x" * 9_000), (b"ce-type", b"feedback.comment_left.v1"), (b"ce-type", b"\xff"),
    (b"ce-source", b""),
    (b"ce-time", b"soon"), (b"ce-time", b"2026-11-02T10:00:00"), (b"ce-data", b"{}"), (b"ce-data_base64", b"aaaa"),
    (b"ce-importrow", b"1e9"), (b"ce-importrow", b"9" * 30), (b"ce-repaired", b"maybe"), (b"ce-", b"x"),
    (b"ce--", b"x"),
]  # fmt: skip
PATHS = ["/v1/events", "/v1/thumbs/", "/v1//thumbs", "/v1/é", "/v1/logs", "/", "/v1/scores", "/v1/%00"]
HOST = (b"host", b"127.0.0.1")

Mutation = Callable[[bytes, random.Random], bytes]


def corpus_request(chance: random.Random, number: int) -> Sent:
    """The `number`-th request of the corpus: a good one, broken zero to four times."""
    path, media_type, body, headers = _good(chance, number)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        body = chance.choice(MUTATIONS)(body, chance)
    if chance.random() < 0.05:
        media_type = chance.choice([*MEDIA_TYPES, BATCH.encode(), STRUCTURED.encode(), JSON.encode()])
    if chance.random() < 0.05:
        path = chance.choice(
            ("/v1/events", "/v1/thumbs/", "/v1//thumbs", "/v1/é", "/v1/logs", "/", "/v1/scores", "/v1/%00")
        )
    for _ in range(chance.choice((0, 0, 0, 0, 1, 1, 3))):
        headers.append(chance.choice(ODD_HEADERS))
    if chance.random() < 0.06:
        body = _packed(body, chance)
        headers.append((b"content-encoding", b"gzip"))
    named = [(b"content-type", media_type), *headers]
    if all(name != b"host" for name, _ in named):
        named.append(HOST)
    method = chance.choice(("GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH")) if chance.random() < 0.01 else "POST"
    return Sent(path, tuple(named), body, method)


def _good(chance: random.Random, number: int) -> tuple[str, bytes, bytes, list[tuple[bytes, bytes]]]:
    kind = chance.random()
    if kind < 0.35:
        name = chance.choice(list(FLAT))
        flat: Any = {**FLAT[name], **({"id": f"f{number}"} if chance.random() < 0.7 else {})}
        body = flat if chance.random() < 0.8 else [flat] * chance.randrange(4)
        return f"/v1/{name}", JSON.encode(), json.dumps(body).encode(), []
    if kind < 0.45:
        return "/v1/logs", JSON.encode(), json.dumps(OTLP).encode(), []
    event = _event(chance, number)
    if kind < 0.6:
        headers = [
            (f"ce-{name}".encode(), str(value).encode("utf-8", "replace"))
            for name, value in event.items()
            if name != "data"
        ]
        return "/v1/events", JSON.encode(), json.dumps(event["data"]).encode(), headers
    if kind < 0.8:
        return "/v1/events", STRUCTURED.encode(), json.dumps(event).encode(), []
    batch = [_event(chance, number * 10 + place) for place in range(chance.randrange(6))]
    return "/v1/events", BATCH.encode(), json.dumps(batch).encode(), []


def _event(chance: random.Random, number: int) -> dict[str, Any]:
    # Few ids at times, so that copies and contradictions come.
    id_ = f"e{number}" if chance.random() < 0.8 else f"same{chance.randrange(50)}"
    type_ = chance.choice(list(DATA)) if chance.random() < 0.9 else chance.choice(TYPES)
    data = DATA.get(type_, DATA["feedback.comment_left.v1"])
    return {"specversion": "1.0", "id": id_, "source": chance.choice(("web", "app", "ü")), "type": type_, "data": data}


def _value(body: bytes, chance: random.Random) -> bytes:
    """Another value after one of the colons."""
    places = [place for place, byte in enumerate(body) if byte == 0x3A]
    if not places:
        return body
    start = chance.choice(places) + 1
    end = next((place for place in range(start + 1, len(body)) if body[place] in b",}]"), len(body))
    return body[:start] + chance.choice(VALUES).encode() + body[end:]


def _insert(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body) + 1)
    return body[:place] + chance.choice(BYTES) + body[place:]


def _flip(body: bytes, chance: random.Random) -> bytes:
    if not body:
        return body
    place = chance.randrange(len(body))
    return body[:place] + bytes([chance.randrange(256)]) + body[place + 1 :]


def _truncate(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body) + 1)]


def _repeat_key(body: bytes, chance: random.Random) -> bytes:
    """A name twice: the first of an object once more with another value."""
    place = body.find(b"{")
    end = body.find(b":", place)
    return body if place < 0 or end < 0 else body[: place + 1] + body[place + 1 : end + 1] + b"1," + body[place + 1 :]


AROUND = [(b"\xef\xbb\xbf", b""), (b"[", b"]"), (b"  ", b"\n"), (b"", b"x"), (b"[" * 5, b"]" * 5), (b'{"a":', b"}")]


def _around(body: bytes, chance: random.Random) -> bytes:
    before, after = chance.choice(
        [
            (b"\xef\xbb\xbf", b""),
            (b"[", b"]"),
            (b"  ", b"\n"),
            (b"", b"x"),
            (b"[" * 5, b"]" * 5),
            (b'{"a":', b"}"),
            (b"", body),
        ]
    )
    return before + body + after


def _large(body: bytes, chance: random.Random) -> bytes:
    """Now and then: beyond what the log takes, or the collector."""
    if chance.random() > 0.005:
        return body
    return body.replace(b'"too long"', b'"' + b"\xc3\xa4" * chance.choice((100, 600_000, 5_000_000)) + b'"')


MUTATIONS: list[Mutation] = [_value, _value, _value, _insert, _flip, _truncate, _repeat_key, _around, _large]


def _packed(body: bytes, chance: random.Random) -> bytes:
    packed = gzip.compress(body, compresslevel=1, mtime=0)
    return chance.choice(
        [
            lambda: packed, lambda: packed[: chance.randrange(len(packed))], lambda: _flip(packed, chance),
            lambda: packed + packed, lambda: packed * 20, lambda: gzip.compress(b"[" * 100_000, mtime=0), lambda: body,
        ]
    )()  # fmt: skip


_TEXTS = st.text(max_size=30) | st.text(st.characters(categories=["Cs", "Cc", "Lu"]), max_size=8)
_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | st.sampled_from(["up", "numeric", "human"])
_JSON = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4), max_leaves=8
)


def thought_of() -> st.SearchStrategy[list[Sent]]:
    """Some requests that hypothesis makes: any bytes, any JSON, and objects with the right names and any values."""
    envelope = st.fixed_dictionaries(
        {
            "specversion": st.just("1.0") | _JSON,
            "type": st.sampled_from(TYPES) | _JSON,
            "data": st.sampled_from([*DATA.values()]) | _JSON,
        },
        optional={
            "id": _TEXTS | _JSON,
            "source": _TEXTS | _JSON,
            "time": st.datetimes().map(str) | _JSON,
            "importrow": _JSON,
            "repaired": _JSON,
        },
    )
    events = st.tuples(
        st.just("/v1/events"),
        st.sampled_from([STRUCTURED, BATCH, JSON]),
        envelope | st.lists(envelope, max_size=4) | _JSON,
    )
    flats = [
        st.tuples(
            st.just(f"/v1/{name}"),
            st.just(JSON),
            st.fixed_dictionaries({}, optional=dict.fromkeys(kind.known, _JSON))
            | st.fixed_dictionaries({field: st.just(value) | _JSON for field, value in FLAT[name].items()})
            | _JSON,
        )
        for name, kind in KINDS.items()
    ]
    logs = st.tuples(st.just("/v1/logs"), st.just(JSON), _otlp() | _JSON)
    parsed = st.one_of(events, events, *flats, logs).map(
        lambda made: _sent(made[0], made[1], json.dumps(made[2]).encode())
    )
    raw = st.tuples(st.sampled_from(["events", "logs", *KINDS]), st.binary(max_size=60)).map(
        lambda made: _sent(f"/v1/{made[0]}", JSON, made[1])
    )
    return st.lists(st.one_of(parsed, parsed, parsed, raw), min_size=15, max_size=25)


def _otlp() -> st.SearchStrategy[Any]:
    value = st.dictionaries(
        st.sampled_from(["stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "kvlistValue"]),
        _JSON,
        max_size=2,
    )
    names = ["name", "score.value", "score.label", "explanation"]
    key = st.sampled_from([*(f"gen_ai.evaluation.{name}" for name in names), "gen_ai.response.id", "error.type"])
    attribute = st.fixed_dictionaries({"key": key | _JSON, "value": value | _JSON})
    record = st.fixed_dictionaries(
        {"eventName": st.just("gen_ai.evaluation.result"), "attributes": st.lists(attribute, max_size=5) | _JSON},
        optional={"timeUnixNano": _JSON, "spanId": _JSON, "traceId": _TEXTS},
    )
    scopes = st.lists(st.fixed_dictionaries({"logRecords": st.lists(record, max_size=3)}), max_size=2)
    return st.fixed_dictionaries({"resourceLogs": st.lists(st.fixed_dictionaries({"scopeLogs": scopes}), max_size=2)})


def _sent(path: str, media_type: str, body: bytes) -> Sent:
    return Sent(path, ((b"content-type", media_type.encode()), HOST), body)
