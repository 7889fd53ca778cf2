"""Importers: files that other tools exported become events. One file a format, one line here."""

from difflib import get_close_matches

from ingest.importers.base import Importer
from ingest.importers.cloud_events import CLOUDEVENTS
from ingest.importers.csv_table import CSV
from ingest.importers.langfuse import LANGFUSE
from ingest.importers.langsmith import LANGSMITH
from ingest.importers.oasst import OASST
from ingest.importers.phoenix import PHOENIX
from ingest.importers.wildbench import WILDBENCH
from models.errors import TerminalError

IMPORTERS: dict[str, Importer] = {
    "cloudevents": CLOUDEVENTS,
    "csv": CSV,
    "langfuse": LANGFUSE,
    "langsmith": LANGSMITH,
    "oasst": OASST,
    "phoenix": PHOENIX,
    "wildbench": WILDBENCH,
}
"""Format -> importer."""


def find(name: str) -> Importer:
    """The importer of format `name`. Raises TerminalError with the formats there are, the nearest first."""
    if name in IMPORTERS:
        return IMPORTERS[name]
    near = get_close_matches(name.lower(), IMPORTERS, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise TerminalError(f"there is no format {name!r}: {hint}known are {', '.join(sorted(IMPORTERS))}")


__all__ = ["IMPORTERS", "Importer", "find"]
