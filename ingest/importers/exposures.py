"""Exposures to an experiment's variants, as assignment tables are exported: user_id, anonymous_id, variant, time.

Rows are taken as they are: a person with two variants, an id that half the world shares and one that was anonymous
first are faults that marts show, not rows to drop.
"""

from collections.abc import Iterator
from pathlib import Path

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Options, Refused, Row, Unfit, text_of
from ingest.importers.csv_rows import read_table
from ingest.importers.moments import exported_moment
from ingest.importers.sample import Sample
from models.events import AnyEvent
from models.events.base import Json
from models.events.experiment import ExposureLogged
from models.ids import event_id

SOURCE = "import/exposures"
VARIANTS = ("variation_id", "variant_id", "variation", "variant")
PERSONS = ("user_id", "person_id")
ANONYMOUS = ("anonymous_id", "device_id")
TIMES = ("timestamp", "received_at", "time")


def read(path: Path, options: Options) -> Iterator[Row]:
    """The table's rows."""
    yield from read_table(path).rows


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The exposure. Raises Unfit for another kind of row, Refused for one of nobody or of no time."""
    experiment, variant = text_of(row.get("experiment_id")), _first(row, VARIANTS)
    if experiment is None or variant is None:
        raise Unfit("not an exposure: it needs experiment_id and variation_id")
    person, anonymous = _first(row, PERSONS), _first(row, ANONYMOUS)
    if person is None and anonymous is None:
        raise Refused("the exposure is of nobody: it has neither user_id nor anonymous_id")
    return [
        ExposureLogged(
            id=event_id("exposures", *context.occurrence(row)),
            source=context.source(SOURCE),
            occurred_at=exported_moment(_first(row, TIMES)),
            experiment_id=experiment,
            variant=variant,
            person_id=author_id(person),
            anonymous_id=anonymous,
            response_id=text_of(row.get("response_id")),
        )
    ]


def _first(row: Json, names: tuple[str, ...]) -> str | None:
    return next((text for name in names if (text := text_of(row.get(name)))), None)


def _fits(sample: Sample) -> bool:
    return sample.table("experiment_id") and bool({*sample.columns} & {*VARIANTS})


EXPOSURES = Importer(
    "exposures",
    "Who met which variant of an experiment: exposures.csv",
    read,
    events,
    SOURCE,
    fits=_fits,
    topics=("experiments",),
)
