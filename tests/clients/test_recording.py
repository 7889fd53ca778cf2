"""What the client writes is what the contract reads, field by field."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from flywheel_client import Recorded, Target
from flywheel_client.ids import new_id
from flywheel_client.recording import Recording
from models.events import parse

MOMENT = datetime(2026, 11, 2, 23, 30, tzinfo=timezone(timedelta(hours=8)))


class Kept(Recording):
    """Records into a list."""

    def __init__(self) -> None:
        super().__init__("app")
        self.lines: list[bytes] = []

    def _put(self, line: bytes) -> None:
        self.lines.append(line)


RECORDED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("thumb", {"about": "r1", "up": True, "person": "u"}, {"thumb": "up", "key": "r1"}),
    ("thumb", {"about": Target("trace", "t1"), "up": None}, {"thumb": None, "key": "t1"}),
    ("comment", {"about": "r1", "text": "", "metric": "thumb"}, {"text": "", "metric": "thumb"}),
    ("score", {"about": "r1", "metric": "m", "value": 0}, {"data_type": "numeric", "value": 0.0, "status": "scored"}),
    ("score", {"about": "r1", "metric": "m", "value": False}, {"data_type": "boolean", "value": 0.0}),
    ("score", {"about": "r1", "metric": "m", "value": ""}, {"data_type": "categorical", "label": "", "value": None}),
    ("score", {"about": "r1", "metric": "m", "value": None}, {"value": None, "status": "skipped"}),
    ("score", {"about": "r1", "metric": "m", "value": 2, "scale": (0, 5)}, {"scale_min": 0.0, "scale_max": 5.0}),
    ("report", {"text": "it lied"}, {"target": None, "kind": "dogfood", "text": "it lied"}),
    ("report", {"text": "x", "about": "r1", "link": "l"}, {"key": "r1", "link": "l"}),
    ("preference", {"first": "a", "second": "b", "choice": "tie"}, {"choice": "tie", "status": "given", "key": "a"}),
    ("preference", {"first": "a", "second": "b", "choice": None}, {"choice": None, "status": "skipped"}),
    ("response", {"response_id": "r", "prompt": "p", "trace_id": "t"}, {"prompt": "p", "trace_id": "t", "key": "r"}),
    ("exposure", {"experiment_id": "e", "variant": "b", "person": "u"}, {"variant": "b", "person_id": "u"}),
    ("metric", {"metric": "minutes", "value": 3, "anonymous": "a"}, {"value": 3.0, "anonymous_id": "a"}),
]


@pytest.mark.parametrize(("method", "given", "expected"), RECORDED)
def test_each_method_writes_its_event(method: str, given: dict[str, Any], expected: dict[str, Any]):
    kept = Kept()
    id_ = getattr(kept, method)(**given, at=MOMENT)
    (line,) = kept.lines
    event = parse(line)
    assert b"\n" not in line
    assert (event.id, event.source, event.occurred_at) == (id_, "app", MOMENT.astimezone(UTC))
    assert {name: getattr(event, name) for name in expected} == expected
    given_fields = json.loads(line)["data"].keys()
    assert given_fields <= type(event).model_fields.keys(), "a field that the contract would ignore"


def test_an_event_happened_now_unless_it_is_said():
    kept = Kept()
    before = datetime.now(UTC)
    kept.thumb("r", up=True)
    assert before <= (parse(kept.lines[0]).occurred_at or before - timedelta(1)) <= datetime.now(UTC)
    with pytest.raises(ValueError, match="no zone"):
        kept.thumb("r", up=True, at=datetime(2026, 11, 2))


def test_a_raw_event_keeps_what_it_says_and_gets_what_it_lacks():
    kept = Kept()
    data = {"target": {"kind": "span", "id": "s"}, "author": {"kind": "code"}, "text": "x"}
    id_ = kept.event({"type": "feedback.comment_left.v1", "data": data})
    assert kept.event({"type": "t", "data": {}, "id": "mine", "source": "other"}) == "mine"
    event = parse(kept.lines[0])
    assert (event.id, event.source, event.occurred_at) == (id_, "app", None)
    assert json.loads(kept.lines[1])["source"] == "other"
    bads: list[dict[str, Any]] = [{}, {"type": "t"}, {"type": 1, "data": {}}, {"type": "t", "data": "x"}]
    for bad in bads:
        with pytest.raises(ValueError, match="type"):
            kept.event(bad)


def test_half_an_emoji_and_line_ends_travel():
    kept = Kept()
    kept.comment("r", "half \ud83d\nand a line\u2028")
    event = parse(kept.lines[0])
    assert event.repaired
    assert "\nand a line" in getattr(event, "text", "")


def test_no_json_number_is_no_number():
    with pytest.raises(ValueError, match="JSON"):
        Kept().score("r", "m", float("nan"))


def test_an_id_is_text_and_may_be_awaited():
    with pytest.raises(StopIteration) as ended:
        next(iter(Recorded("a").__await__()))
    assert ended.value.value == "a"


def test_ids_differ_and_sort_by_time():
    ids = [new_id() for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    assert {id_[14] for id_ in ids} == {"7"}
    assert {id_[19] for id_ in ids} <= set("89ab")
    stamps = [id_[:13] for id_ in ids]
    assert stamps == sorted(stamps)
