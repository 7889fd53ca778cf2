"""The taxonomy as tables: the fold over the events in the warehouse. Pure."""

from collections.abc import Iterator
from datetime import datetime

import polars as pl

from models.events import AnyEvent, parse
from transforms.taxonomy.fold import Taxonomy, fold

MODES = pl.Schema(
    {
        "mode_id": pl.String,
        "name": pl.String,
        "parent": pl.String,
        "definition": pl.String,
        "not_this": pl.String,
        "status": pl.String,
        "origin": pl.String,
        "owner": pl.String,
        "merged_into": pl.String,
        "split_into": pl.String,
        "terms": pl.String,
        "counts_as": pl.String,
    }
)
EXAMPLES = pl.Schema({"mode_id": pl.String, "place": pl.Int64, "text": pl.String, "event_key": pl.String})


def modes(seeds: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """One row per mode (MODES) from `seeds` and `changes` (`canonical`, `received_at`) in the order of the log."""
    known = _folded(seeds, changes)
    rows = [
        {
            **{name: getattr(mode, name) for name in MODES if hasattr(mode, name)},
            "split_into": ", ".join(mode.split_into) or None,
            "terms": ", ".join(mode.terms) if mode.origin == "discovered" else None,
            "counts_as": known.successor(mode.mode_id),
        }
        for mode in known.modes.values()
    ]
    return pl.DataFrame(rows, schema=MODES)


def team_examples(seeds: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """What teams gave as examples (EXAMPLES): a text of theirs or the key of a comment, numbered within the mode."""
    rows = [
        {"mode_id": mode.mode_id, "place": place, "text": text, "event_key": key}
        for mode in _folded(seeds, changes).modes.values()
        for place, (text, key) in enumerate(
            [*((text, None) for text in mode.examples), *((None, key) for key in mode.example_keys)], start=1
        )
    ]
    return pl.DataFrame(rows, schema=EXAMPLES)


def _folded(seeds: pl.DataFrame, changes: pl.DataFrame) -> Taxonomy:
    def parsed() -> Iterator[tuple[AnyEvent, datetime]]:
        for canonical, received_at in changes.iter_rows():
            yield parse(canonical.encode()), received_at

    return fold(seeds.iter_rows(named=True), parsed())
