"""What the classifier learns from: seeds, and what persons say of comments.

A label teaches like a seed where all who labelled the text agree, and name one mode or none; texts with two modes are
answered by their labels, and are no example of either. Leaves out how labels are given (`labelling`).
"""

from typing import Final, NamedTuple

import polars as pl

from text.normal_form import normal_form, text_hash

OTHER: Final = "other"
"""Off-topic, or no failure stated: what a person says who labels a text with no mode."""
AT_LEAST: Final = 5
"""Examples of a mode from which on it is learnt: gates learn from predictions on parts that were left out."""


class Examples(NamedTuple):
    """Texts with a mode each, seeds and labels."""

    texts: list[str]
    modes: list[str]
    labels: int
    """How many of them are labels."""
    said: dict[str, tuple[str, ...]]
    """Text hash -> the modes that persons agree it shows; () where none."""


def gather(seeds: pl.DataFrame, labels: pl.DataFrame) -> Examples:
    """From `seeds` (`mode_id`, `text`) and `labels` (`text_hash`, `mode_id` or null, `text`, `is_disputed`).

    A text that was labelled teaches what its label says, whatever the seeds say of it. Rows may come in any order, and
    a label once for each person.
    """
    agreed = labels.filter(~pl.col("is_disputed"))
    modes_of: dict[tuple[str, str], set[str]] = {}
    for text, form, mode in agreed.select("text_hash", "text", "mode_id").iter_rows():
        modes_of.setdefault((text, form), set()).update(() if mode is None else (mode,))
    said = {text: tuple(sorted(modes - {OTHER})) for (text, _), modes in sorted(modes_of.items())}
    taught = {normal_form(form): said[text] for text, form in modes_of}

    pairs = seeds.select("mode_id", "text").iter_rows()
    rows = [(mode, text) for mode, text in pairs if normal_form(text) not in taught]
    labelled = [(modes[0] if modes else OTHER, form) for form, modes in taught.items() if len(modes) <= 1]
    counts: dict[str, int] = {}
    for mode, _ in [*rows, *labelled]:
        counts[mode] = counts.get(mode, 0) + 1
    rows, labelled = (sorted(row for row in part if counts[row[0]] >= AT_LEAST) for part in (rows, labelled))
    return Examples([t for _, t in [*rows, *labelled]], [m for m, _ in [*rows, *labelled]], len(labelled), said)


def as_rows(seeds: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """What `gather` makes of them, a row each: `example_key`, `text`, `mode_id`, `is_built_in`, `labelled_at`.

    Beside its columns `seeds` has `example_key` and `is_built_in`, `labels` has `event_key` and `labelled_at`.
    """
    examples = gather(seeds, labels)
    seeded = len(examples.texts) - examples.labels
    rows = pl.DataFrame({"text": examples.texts, "mode_id": examples.modes}, {"text": pl.String, "mode_id": pl.String})
    # A comment that a team names and a person labelled, nearly alike another: its key is the label's.
    taken = pl.col("example_key").is_in(labels["event_key"].unique().implode())
    other_key = pl.format("flywheel/examples|{}", pl.col("text").map_elements(text_hash, pl.String))
    of_seed = seeds.select(
        "text",
        "is_built_in",
        example_key=pl.when(taken).then(other_key).otherwise(pl.col("example_key")),
        labelled_at=pl.lit(None, labels.schema["labelled_at"]),
    )
    of_label = labels.select(
        "text", example_key="event_key", is_built_in=pl.lit(value=False), labelled_at="labelled_at"
    ).unique("text")
    columns = ("example_key", "text", "mode_id", "is_built_in", "labelled_at")
    parts = ((rows[:seeded], of_seed), (rows[seeded:], of_label))
    return pl.concat(
        part.join(known, on="text", how="left", maintain_order="left").select(columns) for part, known in parts
    )
