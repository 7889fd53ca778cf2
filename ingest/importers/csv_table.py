"""Tables: dogfood forms and feedback exports as CSV.

With a text and no target a row is a dogfood report. With a target it is a thumb, a rating, a comment, or all three.
Formulas are text like any other: kept, never evaluated. Empty cells are unknown, not zero.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo

from ingest.importers.authors import author_id
from ingest.importers.base import UNNAMED, Context, Importer, Options, Refused, Row
from ingest.importers.csv_mapping import map_columns
from ingest.importers.csv_rows import read_table
from ingest.importers.feedback import Given
from ingest.importers.meanings import read_meanings
from ingest.importers.moments import DateOrder, read_zone, written_moment
from ingest.importers.ratings import Rating, read_rating, read_scale
from ingest.importers.sample import Sample
from ingest.importers.votes import Score
from models.errors import TerminalError
from models.events import AnyEvent
from models.events.base import Json
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.feedback import Author, Target, TargetKind
from models.ids import event_id

SOURCE = "import/csv"
ORDERS: dict[str, DateOrder] = {"dmy": "dmy", "mdy": "mdy", "iso": "iso"}


class Reading(NamedTuple):
    """How the cells are meant: from the options, the same for every row."""

    order: DateOrder | None
    zone: ZoneInfo
    scale: tuple[float, float] | None
    source: str


def read(path: Path, options: Options) -> Iterator[Row]:
    """Rows whose content is {cells, fields, target_kind}. Raises TerminalError where the mapping can't work."""
    delimiter = {"tab": "\t", "\\t": "\t"}.get(options.get("delimiter", ""), options.get("delimiter"))
    if delimiter is not None and len(delimiter) != 1:
        raise TerminalError(f"the delimiter {delimiter!r} is not one character: say , or ; or | or tab")
    _reading(options)
    _check_producer(options)
    table = read_table(path, delimiter)
    mapping = map_columns(path, table.columns, options)
    for row in table.rows:
        cells = row.content
        if cells is not None:
            fields = {field: cells[column] for field, column in mapping.columns.items() if cells.get(column, "") != ""}
            row = row._replace(content={"cells": cells, "fields": fields, "target_kind": mapping.target_kind})  # noqa: PLW2901
        yield row


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The events of one row; none for a row without text, rating and thumb. Raises Refused for a cell that can't be
    read."""
    reading = _reading(context.options)
    fields = cast(dict[str, str], row["fields"])
    occurred_at = written_moment(fields.get("time", ""), reading.order, reading.zone)
    rating = read_rating(fields["rating"], reading.scale) if "rating" in fields else None
    if not {"text", "rating", "thumb"} & fields.keys():
        return []
    if rating and rating.scale is None:
        context.warnings["a rating without its scale can't be called low or high: say --scale LOW..HIGH"] += 1
    native_id = fields.get("id")
    given = Given(
        source=reading.source,
        key=("csv", native_id) if native_id else ("csv", *context.occurrence(cast(Json, row["cells"]))),
        target=Target(kind=cast(TargetKind, row["target_kind"]), id=fields.get("target") or UNNAMED),
        author=Author(kind="human", id=author_id(fields.get("author"))),
        metric=fields.get("metric") or "rating",
        occurred_at=occurred_at,
        native_id=native_id,
    )
    if "target" in fields:
        return _on_target(fields, given, rating, context)
    if "thumb" in fields and "text" not in fields:
        raise Refused("a thumb without a target: nobody can tell what it is about")
    report = ReportFiled(
        id=UNNAMED,
        source=reading.source,
        occurred_at=occurred_at,
        author=given.author,
        kind="dogfood",
        text=fields.get("text", ""),
        rating=rating.value if rating else None,
        scale_min=rating.scale[0] if rating and rating.scale else None,
        scale_max=rating.scale[1] if rating and rating.scale else None,
        link=fields.get("link"),
        native_id=native_id,
    )
    return [given.with_id(report)]


def _on_target(fields: dict[str, str], given: Given, rating: Rating | None, context: Context) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    if given.target.kind == "response" and fields.keys() & {"prompt", "completion", "conversation", "model"}:
        served = ResponseServed(
            id=event_id("csv", "response", given.target.id),
            source=given.source,
            response_id=given.target.id,
            prompt=fields.get("prompt"),
            completion=fields.get("completion"),
            conversation_id=fields.get("conversation"),
            model=fields.get("model"),
        )
        found.append(served)
    if "thumb" in fields:
        thumb = context.thumb(fields["thumb"], fields.get("version"))
        if thumb is None:
            raise Refused(f"the thumb {fields['thumb']!r} is neither up, down nor cleared")
        found.append(given._replace(metric=fields.get("metric") or "thumb").thumb(thumb))
    if rating:
        found.append(given.score(Score("numeric", rating.value), rating.scale))
    if "text" in fields:
        about = fields.get("metric") or ("thumb" if "thumb" in fields else "rating" if rating else "comment")
        found.append(given._replace(metric=about).comment(fields["text"]))
    return found


def _reading(options: Options) -> Reading:
    dates = options.get("dates")
    order = ORDERS.get(dates or "")
    if dates is not None and order is None:
        raise TerminalError(f"there is no order of dates {dates!r}: known are {', '.join(ORDERS)}")
    scale = read_scale(options["scale"]) if "scale" in options else None
    source = f"{SOURCE}/{options['source']}" if "source" in options else SOURCE
    return Reading(order, read_zone(options.get("zone", "UTC")), scale, source)


def _check_producer(options: Options) -> None:
    """Raises TerminalError for a producer that no table of values knows, and for a table that can't be read."""
    known = read_meanings(options.get("values")).producers
    if options.get("producer", known[0]).lower() not in known:
        raise TerminalError(
            f"what the values of producer {options['producer']!r} mean is not known: known are {', '.join(known)}; "
            "say it in a table, with --values FILE"
        )


def _fits(sample: Sample) -> bool:
    """A table with a text, or a vote on a target, and something that says whose or when: a list of texts is none."""
    try:
        columns = map_columns(sample.path, sample.columns, {}).columns.keys()
    except TerminalError:
        return False
    return bool(columns & {"author", "time", "rating", "thumb", "target"})


CSV = Importer(
    "csv",
    'Any table, columns mapped by name: dogfood.csv --map text="What went wrong?" --map author=Email --dates dmy',
    read,
    events,
    SOURCE,
    fits=_fits,
    general=True,
)
