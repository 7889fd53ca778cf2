"""What a discovery asks about modes that are there: reads the published build for `proposals.py`, which is pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from ingest.home import Home
from ingest.reader import query
from ingest.vectors import embed
from models.events.taxonomy import DiscoveryStarted, MergeProposed, ModeProposed, SplitProposed
from transforms.taxonomy.fold import Taxonomy
from transforms.taxonomy.proposals import PART_MEMBERS, Texts, merges, split

SPLIT_TEXTS: Final = 5_000
"""Texts of a mode that are looked at for whether they say several things."""

COMPLAINTS: Final = ["event_key", "text_hash", "normal_form"]
"""Of a comment: the text that leads its near-duplicates, so that what was copied counts and is embedded once."""


def distinct(home: Home, rows: pl.DataFrame) -> Texts:
    """The texts of `rows` (`COMPLAINTS`), each once, by hash."""
    texts = rows.group_by("text_hash").agg(pl.col("normal_form").first(), pl.col("event_key").sort()).sort("text_hash")
    hashes: list[str] = texts["text_hash"].to_list()
    forms: list[str] = texts["normal_form"].to_list()
    return Texts(hashes, forms, texts["event_key"].to_list(), embed(home, hashes, forms))


def asked_merges(
    home: Home, known: Taxonomy, proposed: Mapping[str, ModeProposed], new: Sequence[ModeProposed]
) -> Iterable[MergeProposed]:
    """Questions whether a new mode is one that was there."""
    old = {
        mode: event.centroid
        for mode, event in proposed.items()
        if known.successor(mode) == mode and mode not in {each.mode_id for each in new}
    }
    keys = sorted({key for mode in new for key in mode.member_keys})
    guesses = {str(key): str(guess) for key, guess in query(home, GUESSES, [keys]).rows}
    return merges(known, new, old, guesses)


def asked_splits(home: Home, known: Taxonomy, started: DiscoveryStarted) -> Iterable[ModeProposed | SplitProposed]:
    """Questions whether a discovered mode is several, once a mode; not of one that others were merged into."""
    asked = {each.mode_id for each in known.proposals.values() if each.kind == "split"}
    joined = {mode.merged_into for mode in known.modes.values()}
    for mode in known.modes.values():
        if mode.origin != "discovered" or not mode.stands or mode.mode_id in asked | joined:
            continue
        found = query(home, OF_MODE, [list(mode.member_keys), mode.mode_id, SPLIT_TEXTS]).rows
        rows = pl.DataFrame(found, schema=COMPLAINTS, orient="row")
        if rows["text_hash"].n_unique() >= 2 * PART_MEMBERS:
            yield from split(mode.mode_id, distinct(home, rows), started.embedding, started.discovery_id)


GUESSES = """
select feedback.event_key, arg_max(assignments.top_mode, assignments.confidence)
from fct_feedback as feedback
inner join int_text_assignments as assignments on feedback.text_hash = assignments.text_hash
where assignments.top_mode is not null and feedback.event_key in (select unnest(cast(? as varchar[])))
group by feedback.event_key
"""

OF_MODE = """
select feedback.event_key, groups.group_hash, min(texts.normal_form)
from fct_feedback as feedback
inner join int_text_groups as groups on feedback.text_hash = groups.text_hash
inner join int_texts as texts on groups.group_hash = texts.text_hash
where groups.group_hash in (
    select distinct groups.group_hash
    from fct_feedback as feedback
    inner join int_text_groups as groups on feedback.text_hash = groups.text_hash
    where feedback.is_current
        and (
            feedback.event_key in (select unnest(cast(? as varchar[])))
            or feedback.event_key in (select event_key from fct_feedback_modes where mode_id = ?)
        )
    order by groups.group_hash
    limit ?
)
group by feedback.event_key, groups.group_hash
order by feedback.event_key
"""
