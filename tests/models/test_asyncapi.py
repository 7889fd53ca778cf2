"""The AsyncAPI document: it has the 3.0 structure, its references lead somewhere, and it describes what is written."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from jsonschema import Draft7Validator

from ingest.log.kafka_settings import settings as kafka_settings
from models.asyncapi import MESSAGES, SCHEMAS, document
from models.events import EVENT_TYPES, dump, type_name
from models.events.comment import CommentLeft
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.topics import TOPICS

DOCUMENT = document()


def walk(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, dict):
        fields = cast(dict[str, Any], content)
        yield fields
        content = list(fields.values())
    if isinstance(content, list):
        for part in cast(list[Any], content):
            yield from walk(part)


def lookup(reference: str) -> Any:
    place: Any = DOCUMENT
    for name in reference.removeprefix("#/").split("/"):
        place = place[name]
    return place


def test_every_reference_leads_somewhere():
    references = [str(part["$ref"]) for part in walk(DOCUMENT) if "$ref" in part]
    assert len(references) > len(EVENT_TYPES)
    for reference in references:
        assert lookup(reference)


def test_it_has_the_parts_that_asyncapi_3_asks_for():
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= DOCUMENT["info"].keys()
    for part in DOCUMENT:
        assert (
            part in {"asyncapi", "info", "defaultContentType", "channels", "operations", "components"}
            or part[:2] == "x-"
        )
    for operation in DOCUMENT["operations"].values():
        assert operation["action"] in {"send", "receive"}
        assert lookup(operation["channel"]["$ref"])["address"]
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft7Validator.check_schema(schema)


def test_channels_are_the_topics_with_what_kafka_keeps():
    assert set(DOCUMENT["channels"]) == set(TOPICS)
    for name, topic in TOPICS.items():
        kafka = DOCUMENT["channels"][name]["bindings"]["kafka"]
        settings = kafka["topicConfiguration"]
        assert (kafka["topic"], kafka["partitions"]) == (name, topic.partitions)
        assert settings["retention.ms"] == (topic.retention_ms or -1)
        assert settings["message.timestamp.type"] == "LogAppendTime"
        asked = kafka_settings(name, copies=3)
        for setting, value in settings.items():
            said = ",".join(cast(list[str], value)) if isinstance(value, list) else str(value)
            assert asked[setting] == said, f"flywheel topics apply asks for another {setting} of {name}"


def test_messages_are_the_event_types_each_in_the_channel_of_its_topic():
    for event in EVENT_TYPES:
        name = type_name(event)
        assert name in DOCUMENT["channels"][event.topic]["messages"]
        message = DOCUMENT["components"]["messages"][name]
        assert message["summary"].split()[0] in (event.__doc__ or "")
        assert event.key_field in message["bindings"]["kafka"]["key"]["description"]
    listed = [name for channel in DOCUMENT["channels"].values() for name in channel["messages"]]
    assert sorted(listed) == sorted(map(type_name, EVENT_TYPES))


def test_fields_are_explained_by_the_docstrings_below_them():
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["ThumbGiven"]["properties"]["thumb"]["description"].startswith("None: cleared.")
    assert schemas["Step"]["properties"]["seconds"]["description"] == "From the step before to this one."


TARGET, AUTHOR = Target(kind="trace", id="t"), Author(kind="human", id="u")
WRITTEN = [
    ThumbGiven(id="1", source="s", occurred_at=datetime(2026, 11, 2, tzinfo=UTC), target=TARGET, author=AUTHOR,
               thumb=None),
    CommentLeft(id="2", source="s", import_id="i", import_row=3, repaired=True, target=TARGET, author=AUTHOR, text=""),
    RolloutRecorded(id="3", source="s", rollout_id="r",
                    steps=(Step(role="assistant", calls=(ToolCall(tool="search"),)),)),
]  # fmt: skip


@pytest.mark.parametrize("event", WRITTEN, ids=lambda event: event.type)
def test_what_we_write_is_as_the_document_says(event: ThumbGiven | CommentLeft | RolloutRecorded):
    validator: Any = Draft7Validator({**lookup(MESSAGES + event.type)["payload"], "components": DOCUMENT["components"]})
    written = json.loads(dump(event))
    validator.validate(written)
    assert written.keys() <= lookup(SCHEMAS + "CloudEvent")["properties"].keys()
    assert not validator.is_valid({**written, "data": {**written["data"], event.key_field: 5}})
