"""CloudEvents as JSON lines, structured mode: what another producer, or another home, has already said.

Each event goes to the topic of its type with the id and source it has. Binary mode needs a log's headers, which a file
hasn't; batches are left out as they are everywhere here.
"""

from ingest.importers.base import Context, Importer, Refused, Unfit
from ingest.importers.json_rows import read_lines
from ingest.lake.columns import flatten
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.base import Json
from models.ids import canonical_json

INT64 = range(-(2**63), 2**63)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The one event that the row is. Raises Unfit for what is no CloudEvent, Refused for one that we can't read."""
    if not {"specversion", "id", "source", "type"} <= row.keys():
        raise Unfit("not a CloudEvent: it needs specversion, id, source and type")
    try:
        event = parse(canonical_json(row).encode())
    except BadEvent as error:
        raise Refused(str(error)) from error
    except OverflowError as error:
        raise Refused(f"the event has a time or a number that no column holds: {error}") from error
    for name, value in flatten(event).items():
        if type(value) is int and value not in INT64:
            raise Refused(f"{name} is {value:.3e}, beyond a 64-bit integer")
    return [event]


CLOUDEVENTS = Importer(
    "cloudevents",
    "CloudEvents 1.0 in structured mode, a JSON line each: events.jsonl",
    read_lines,
    events,
    "",
)
