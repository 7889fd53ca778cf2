"""CloudEvents: what another producer, or another home, has already said. Structured, and binary as it lies in Kafka.

An event of ours goes to the topic of its type with the id and source it has. One of another producer is taken where a
table says what its type means. Binary mode is a dump of the log, {key, headers, value}; a value that is null is a
tombstone, which takes a key out of a compacted topic and says nothing of a vote. Batches are left out as everywhere.
"""

from typing import Any, cast

from ingest.importers.base import Context, Importer, Refused, Unfit
from ingest.importers.foreign_types import foreign
from ingest.importers.json_rows import read_lines
from ingest.importers.sample import Sample
from ingest.lake.columns import flatten
from models.errors import BadEvent
from models.events import EVENT_TYPES, AnyEvent, parse, type_name
from models.events.base import Json
from models.ids import canonical_json

INT64 = range(-(2**63), 2**63)
OUR_WORDS = {type_name(kind).rpartition(".")[0] for kind in EVENT_TYPES}
"""Our types without their version: those of another producer are left to the table."""


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The one event that the row is. Raises Unfit for what is no CloudEvent, Refused for one that we can't read."""
    if {"headers", "value"} <= row.keys():
        row = _structured(row)
    if not {"specversion", "id", "source", "type"} <= row.keys():
        raise Unfit("not a CloudEvent: it needs specversion, id, source and type")
    event = None if str(row["type"]).rpartition(".")[0] in OUR_WORDS else foreign(row, context)
    try:
        event = event or parse(canonical_json({name: row[name] for name in row if name != "key"}).encode())
    except BadEvent as error:
        raise Refused(str(error)) from error
    except OverflowError as error:
        raise Refused(f"the event has a time or a number that no column holds: {error}") from error
    for name, value in flatten(event).items():
        if type(value) is int and value not in INT64:
            raise Refused(f"{name} is {value:.3e}, beyond a 64-bit integer")
    return [event]


def _structured(row: Json) -> Json:
    """A record in binary mode as the same event in structured mode, its key beside it."""
    if row["value"] is None:
        raise Refused(f"a tombstone of key {row.get('key')!r}: not an event; what was said is withdrawn by an event")
    headers = cast(Json, row["headers"]) if isinstance(row["headers"], dict) else {}
    named = {name.lower(): value for name, value in headers.items()}
    envelope: Json = {name.removeprefix("ce_"): value for name, value in named.items() if name.startswith("ce_")}
    if not envelope and isinstance(row["value"], dict):
        return cast(Json, row["value"])
    data: Any = row["value"]
    return {**envelope, "data": data, "key": row.get("key")}


def _fits(sample: Sample) -> bool:
    return sample.any_row("specversion", "id", "source", "type") or sample.any_row("key", "headers", "value")


CLOUDEVENTS = Importer(
    "cloudevents",
    "CloudEvents 1.0, a JSON line each, or a dump of Kafka's records: events.jsonl",
    read_lines,
    events,
    "",
    fits=_fits,
)
