"""The contract as one AsyncAPI 3.0 document: a channel a topic, a message an event type, with Kafka's settings.

It is made of the models and holds nothing else, so that it can't disagree with them. The HTTP collector is described by
its own OpenAPI page.
"""

from collections.abc import Mapping, Sequence

from models.events import EVENT_TYPES
from models.events.base import Event, Json
from models.events.cloudevents import CONTENT_TYPE
from models.events.schema import envelope, payloads
from models.events.upcast import STEPS
from models.topics import TOPICS, Topic

VERSION = "3.0.0"
KAFKA_BINDING = "0.5.0"
SCHEMAS = "#/components/schemas/"
MESSAGES = "#/components/messages/"
TOPIC, KEY, READS = "x-flywheel-topic", "x-flywheel-key-field", "x-flywheel-reads"


def document(
    events: Sequence[type[Event]] = EVENT_TYPES,
    topics: Mapping[str, Topic] = TOPICS,
    older: Sequence[str] = tuple(STEPS),
) -> Json:
    """The document. `older`: types that are still read, and brought to a newer version on the way in."""
    bodies, shared = payloads(events, SCHEMAS + "{model}")
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "Flywheel",
            "version": "1.0.0",
            "description": "The events of Flywheel's log, as CloudEvents 1.0. The version of an event is part of its "
            "type; within a version only additions are made. Homes that share a cluster put a prefix and a dot before "
            "the names of the topics.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": CONTENT_TYPE,
        "channels": {name: _channel(topic, events) for name, topic in sorted(topics.items())},
        "operations": {f"read.{name}": _operation(name) for name in sorted(topics)},
        "components": {
            "messages": {type_name_of(event): _message(event) for event in sorted(events, key=type_name_of)},
            "schemas": {"CloudEvent": envelope(), **dict(sorted({**bodies, **shared}.items()))},
        },
        READS: sorted(older),
    }


def type_name_of(event: type[Event]) -> str:
    """The value of the `type` tag, of any class with the fields of an event."""
    return str(event.model_fields["type"].default)


def payload(message: Json) -> Json:
    """The schema of a message's `data`, as it stands in the document: a reference."""
    return message["payload"]["allOf"][1]["properties"]["data"]


def _channel(topic: Topic, events: Sequence[type[Event]]) -> Json:
    names = sorted(type_name_of(event) for event in events if event.topic == topic.name)
    return {
        "address": topic.name,
        "messages": {name: {"$ref": MESSAGES + name} for name in names},
        "bindings": {
            "kafka": {
                "topic": topic.name,
                "partitions": topic.partitions,
                "topicConfiguration": {
                    "cleanup.policy": ["delete"],
                    "retention.ms": -1 if topic.retention_ms is None else topic.retention_ms,
                    "message.timestamp.type": "LogAppendTime",
                },
                "bindingVersion": KAFKA_BINDING,
            }
        },
    }


def _operation(topic: str) -> Json:
    return {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{topic}"},
        "summary": f"Whoever may write to {topic} appends; the sink takes each (source, id) once.",
    }


def _message(event: type[Event]) -> Json:
    name = type_name_of(event)
    return {
        "name": name,
        "title": event.__name__,
        "summary": " ".join((event.__doc__ or "").split()),
        "contentType": CONTENT_TYPE,
        "headers": {"type": "object", "properties": {"content-type": {"const": CONTENT_TYPE}}},
        "payload": {
            "allOf": [
                {"$ref": SCHEMAS + "CloudEvent"},
                {"properties": {"type": {"const": name}, "data": {"$ref": SCHEMAS + event.__name__}}},
            ]
        },
        "bindings": {"kafka": {"key": _key(event), "bindingVersion": KAFKA_BINDING}},
        TOPIC: event.topic,
        KEY: event.key_field,
    }


def _key(event: type[Event]) -> Json:
    return {
        "type": "string",
        "description": f"`data.{event.key_field}`, its `id` where it is an object; the event's id where it is null.",
    }
