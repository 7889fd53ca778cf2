"""A change to an event without a new version: additions pass, each kind of break is found and names its field."""

from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field

from models.asyncapi import document
from models.compatibility import Break, breaks
from models.events import EVENT_TYPES
from models.events.base import Event
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Name
from tests.models.mutated import GONE, mutated

STATUS = Literal["scored", "skipped", "errored"]


def found(new: type[Event], old: type[Event] = ScoreGiven) -> list[Break]:
    return breaks(document([old]), document([new]))


class NarrowAuthor(BaseModel):
    """An author whose kind lost a value, and whose id is not optional."""

    kind: Literal["human", "llm"]
    id: Name


class WideAuthor(Author):
    """An author with a field more."""

    team: Name | None = None


def test_a_tree_as_it_is_breaks_nothing():
    assert breaks(document(), document()) == []
    assert found(mutated()) == []


@pytest.mark.parametrize(
    "added",
    [
        {"locale": (Name | None, None)},
        {"status": (Literal["scored", "skipped", "errored", "withdrawn"], "scored")},
        {"metric": (Annotated[str, Field(min_length=1, max_length=1000)], ...)},
        {"metric": (Name | None, None)},
        {"label": (str | list[str] | None, None)},
        {"label": (Any, None)},
        {"author": (WideAuthor, ...)},
    ],
    ids=["a field", "a value", "a wider bound", "not required", "one more type", "any type", "a field of a part"],
)
def test_an_addition_passes(added: dict[str, Any]):
    assert found(mutated(**added)) == []


SHORT = Annotated[str, Field(min_length=1, max_length=64)]
LONG = Annotated[str, Field(min_length=3, max_length=512)]
PATTERN_OR_NONE = Annotated[str | None, Field(pattern="^a")]

CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"label": GONE}, "label", "it is gone"),
    ({"native_id": GONE, "foreign_id": (get_args(Name)[0] | None, None)}, "native_id", "it is gone"),
    ({"scale_min": GONE, "lowest": (float | None, None)}, "scale_min", "it is gone (renamed to lowest?)"),
    ({"value": (int | None, None)}, "value", "it took number and now takes only integer or null"),
    ({"sequence": (float | None, None)}, "sequence", "it took integer and now takes only number or null"),
    ({"value": (float, 0.0)}, "value", "it took null and now takes only number"),
    ({"metric": (SHORT, ...)}, "metric", "maxLength was 512 and is 64"),
    ({"metric": (LONG, ...)}, "metric", "minLength was 1 and is 3"),
    ({"label": (PATTERN_OR_NONE, None)}, "label", 'pattern was not there and is "^a"'),
    ({"label": (Literal["good"] | None, None)}, "label", "it took any string and now takes only 'good'"),
    ({"label": (str | None, ...)}, "label", "it was optional and is required"),
    ({"status": (Literal["scored", "skipped"], "scored")}, "status", "it no longer takes 'errored'"),
    ({"locale": (Name, ...)}, "locale", "it is new and required"),
    ({"better": (Literal["higher", "lower"], "lower")}, "better", 'its default was "higher" and is "lower"'),
    ({"label": (str | None, "")}, "label", 'its default was null and is ""'),
    ({"metric": (str, "score")}, "metric", 'it was required and now has the default "score"'),
    ({"author": (NarrowAuthor, ...)}, "author.kind", "it no longer takes 'code'"),
    ({"author": (NarrowAuthor, ...)}, "author.id", "it was optional and is required"),
    ({"author": (NarrowAuthor, ...)}, "author.id", "it took null and now takes only string"),
]


@pytest.mark.parametrize(("change", "field", "what"), CHANGES)
def test_a_break_is_found_and_names_its_field(change: dict[str, Any], field: str, what: str):
    hits = found(mutated(**change))
    assert [hit for hit in hits if hit.field == field and what in hit.what], hits
    assert {hit.event for hit in hits} == {"feedback.score_given.v1"}
    assert {hit.field.split(".")[0] for hit in hits} == {name for name in change if name != "foreign_id"} - {"lowest"}


@pytest.mark.parametrize(("name", "value"), [("topic", "results"), ("key_field", "metric")])
def test_another_topic_or_key_is_a_break(name: str, value: str):
    other = mutated(topic=value) if name == "topic" else mutated(key_field=value)
    (hit,) = found(other)
    assert hit.field == name
    assert f"became {value!r}" in hit.what


def test_what_lists_hold_is_compared_too():
    old = mutated(parts=(tuple[Author, ...], ()))
    hits = found(mutated(parts=(tuple[NarrowAuthor, ...], ())), old)
    assert "parts[].kind" in {hit.field for hit in hits}


def test_a_new_version_is_no_break_as_long_as_an_upcast_reads_the_old_one():
    three = mutated(ThumbGiven, type=(Literal["feedback.thumb_given.v3"], "feedback.thumb_given.v3"), thumb=GONE)
    old = document([ThumbGiven], older=["feedback.thumb_given.v1"])
    assert breaks(old, document([three], older=["feedback.thumb_given.v1", "feedback.thumb_given.v2"])) == []
    (hit,) = breaks(old, document([three], older=["feedback.thumb_given.v1"]))
    assert (hit.event, hit.field) == ("feedback.thumb_given.v2", "type")
    (hit,) = breaks(old, document([ThumbGiven], older=[]))
    assert (hit.event, hit.field) == ("feedback.thumb_given.v1", "type")


def test_every_field_of_every_model_is_missed():
    """No event type, and no shape that a field may have, is left out of the comparison."""
    recorded, emptied = document(), document()
    schemas = emptied["components"]["schemas"]
    assert {event.__name__ for event in EVENT_TYPES} < schemas.keys()
    for name, whole in list(schemas.items()):
        schemas[name] = {**whole, "properties": {}, "required": []}
        missed = {hit.field.removesuffix("[]").split(".")[-1] for hit in breaks(recorded, emptied)}
        schemas[name] = whole
        assert set(whole["properties"]) <= missed, name
    assert breaks(recorded, emptied) == []
