"""What to ask a person next, and what their answer means. The commands do the asking.

The most useful text is one of which the classifier is least sure: its confidence is nearest to what is enough, or two
modes come out nearly alike. Near-duplicates of what was asked or labelled before are passed over, since the same
complaint teaches nothing twice. Source of the idea: Lewis and Gale, A sequential algorithm for training text
classifiers (1994).
"""

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.home import Home
from ingest.reader import query, reading
from models.errors import TerminalError
from models.events.taxonomy import LabelWithdrawn, TextLabelled
from models.feedback import LONGEST_NAME
from models.ids import event_id
from text.near_duplicates import NEAR_DUPLICATE_BANDS, band_hashes
from transforms.taxonomy.changes import SOURCE, find
from transforms.taxonomy.fold import Taxonomy

PRAISE: Final = "praise"
"""A label that is no failure mode."""
NONE: Final = "none"
"""In a file of labels: the text shows no mode."""
POOL: Final = 2_000
"""Of the least sure texts, those among which near-duplicates are looked for."""
LOOKED_BACK: Final = 5_000
"""Labelled texts that a new one is compared with."""


class Question(NamedTuple):
    """A text to label."""

    event_key: str
    """The first comment that has it."""
    text_hash: str
    text: str
    comments: int
    """How many comments say it."""
    guesses: tuple[tuple[str, float], ...]
    """Modes with their confidence, best first."""
    why: str


class Label(NamedTuple):
    """A person's word on a text."""

    event_key: str
    text_hash: str
    modes: tuple[str, ...]
    by: str


def questions(home: Home, labelled: Collection[str], count: int, modes: Collection[str] = ()) -> list[Question]:
    """At most `count` texts of the published build to ask about, the most useful first; none of the hashes `labelled`.

    `modes`: only texts that may show one of these. Raises FlywheelError before the first build.
    """
    with reading(home) as ask:
        rows = ask(DOUBTFUL, [sorted(labelled), not modes, sorted(modes), POOL]).rows
        before = ask(FORMS, [sorted(labelled)[-LOOKED_BACK:]]).rows
    places = _distinct([str(row[0]) for row in before], [str(row[2]) for row in rows], count)
    return [_question(rows[place]) for place in places]


def _question(row: tuple[object, ...]) -> Question:
    event_key, text_hash, text, comments, first, confidence, second, next_confidence, edge, by_margin = row
    guesses = [(str(first), float(str(confidence)))]
    if second is not None:
        guesses.append((str(second), float(str(next_confidence))))
    if by_margin and second is not None:
        why = f"{guesses[0][0]} and {guesses[1][0]} come out alike"
    else:
        why = f"{guesses[0][0]} at {guesses[0][1]:.2f}, where {float(str(edge)):.2f} is enough"
    return Question(str(event_key), str(text_hash), str(text), int(str(comments)), tuple(guesses), why)


def _distinct(before: Sequence[str], texts: Sequence[str], count: int) -> list[int]:
    """Places of the first `count` of `texts` that are no near-duplicates of each other, nor of those `before`."""
    seen: NDArray[np.uint64] = band_hashes(list(before)) if before else np.empty((0, 32), dtype=np.uint64)
    bands = band_hashes(list(texts)) if texts else seen
    kept: list[int] = []
    for place in range(len(texts)):
        if len(kept) == count:
            break
        if not ((seen == bands[place]).sum(axis=1) >= NEAR_DUPLICATE_BANDS).any():
            kept.append(place)
            seen = np.vstack([seen, bands[place : place + 1]])
    return kept


def answered(line: str, numbered: Sequence[str], known: Taxonomy) -> tuple[str, ...]:
    """The ids of the modes that an answer names: by number in `numbered` from 1, id or name, blanks or commas between.

    Raises TerminalError for one that is none, or has ended.
    """
    if line.strip().casefold() in {mode.name.casefold() for mode in known.modes.values()}:
        return (_mode(line.strip(), known),)
    words = [word for word in line.replace(",", " ").split() if word]
    found: list[str] = []
    for word in words:
        if word.isdecimal():
            if not 1 <= int(word) <= len(numbered):
                raise TerminalError(f"there is no mode with the number {word}; ? lists them")
            found.append(numbered[int(word) - 1])
        else:
            found.append(_mode(word, known))
    return tuple(sorted(set(found)))


def from_file(home: Home, path: Path, known: Taxonomy, by: str) -> list[Label]:
    """The labels of a CSV file: event_key, modes (ids or names, ; between, or `none`), and labelled_by where not `by`.

    Raises TerminalError, with the line, for a column that is missing, a mode that is none, and a comment that the
    published build does not have.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file, strict=True)
        if missing := {"event_key", "modes"} - set(reader.fieldnames or ()):
            raise TerminalError(f"{path}:1: there is no column {', '.join(sorted(missing))}")
        try:
            rows = [(reader.line_num, row) for row in reader]
        except (csv.Error, UnicodeDecodeError) as error:
            raise TerminalError(f"{path}:{reader.line_num + 1}: not CSV in UTF-8: {error}") from error
    keys = [row["event_key"] or "" for _, row in rows]
    hashes = {str(key): str(text) for key, text in query(home, HASHES, [sorted(set(keys))]).rows}
    labels: list[Label] = []
    for line, row in rows:
        key = row["event_key"] or ""
        if key not in hashes:
            raise TerminalError(f"{path}:{line}: the published build has no comment {key!r} with words")
        try:
            who = (row.get("labelled_by") or "").strip() or by
            if len(who) > LONGEST_NAME:
                raise TerminalError(f"labelled_by is longer than {LONGEST_NAME} characters")
            labels.append(Label(key, hashes[key], _named(row["modes"] or "", known), who))
        except TerminalError as error:
            raise TerminalError(f"{path}:{line}: {error}") from error
    return labels


def labelled(label: Label, at: datetime) -> TextLabelled:
    """The event that says so."""
    return TextLabelled(
        id=event_id("text_labelled", label.text_hash, label.by, *label.modes, at.isoformat()),
        source=SOURCE,
        occurred_at=at,
        comment_key=label.event_key,
        text_hash=label.text_hash,
        modes=label.modes,
        labelled_by=label.by,
    )


def withdrawn(label: Label, at: datetime) -> LabelWithdrawn:
    """The event that takes it back."""
    return LabelWithdrawn(
        id=event_id("label_withdrawn", label.text_hash, label.by, at.isoformat()),
        source=SOURCE,
        occurred_at=at,
        comment_key=label.event_key,
        text_hash=label.text_hash,
        labelled_by=label.by,
    )


def news(labels: Iterable[Label], known: Mapping[tuple[str, str], TextLabelled]) -> list[Label]:
    """Those of `labels` that say something else than the person's last word; the last of a file counts."""
    last = {(label.text_hash, label.by): label for label in labels}
    return [
        label
        for place, label in last.items()
        if place not in known or tuple(sorted(known[place].modes)) != tuple(sorted(label.modes))
    ]


def _named(words: str, known: Taxonomy) -> tuple[str, ...]:
    parts = [part.strip() for part in words.split(";") if part.strip()]
    if not parts:
        raise TerminalError(f"no mode is named: write {NONE} where the text shows none")
    if parts == [NONE]:
        return ()
    return tuple(sorted({_mode(part, known) for part in parts}))


def _mode(word: str, known: Taxonomy) -> str:
    if word.casefold() == PRAISE:
        return PRAISE
    mode = find(known, word)
    if (today := known.successor(mode.mode_id)) is None:
        raise TerminalError(f"{mode.mode_id} ({mode.name}) has ended: no text shows it")
    return today


DOUBTFUL = """
with said as (
    select
        text_hash,
        coalesce(mode_id, top_mode) as mode_id,
        confidence,
        abstained,
        not abstained and mode_id = top_mode as is_sure,
        row_number() over (partition by text_hash order by confidence desc, coalesce(mode_id, top_mode)) as place
    from int_text_assignments
    where confidence is not null
),

-- What is enough for a mode: between the least with which it was assigned and the most with which it was not.
seen as (
    select
        mode_id,
        min(confidence) filter (where is_sure) as least,
        max(confidence) filter (where abstained) as most
    from said
    where place = 1
    group by mode_id
),

edges as (
    select mode_id, case when most < least then (least + most) / 2 else least end as edge
    from seen
    where least is not null
),

overall as (
    select coalesce(min(edge), 0.5) as edge
    from edges
),

doubts as (
    select
        best.text_hash,
        best.mode_id,
        best.confidence,
        next.mode_id as next_mode_id,
        next.confidence as next_confidence,
        coalesce(edges.edge, overall.edge) as edge,
        abs(best.confidence - coalesce(edges.edge, overall.edge)) as from_edge,
        best.confidence - next.confidence as margin
    from said as best
    left join said as next on best.text_hash = next.text_hash and next.place = 2
    left join edges on best.mode_id = edges.mode_id
    cross join overall
    where best.place = 1
),

written as (
    select text_hash, min(event_key) as event_key, arg_min(text, event_key) as text, count(*) as comments
    from fct_feedback
    where is_current and kind in ('comment', 'report') and text_hash is not null
    group by text_hash
)

select
    written.event_key,
    doubts.text_hash,
    written.text,
    written.comments,
    doubts.mode_id,
    doubts.confidence,
    doubts.next_mode_id,
    doubts.next_confidence,
    doubts.edge,
    coalesce(doubts.margin < doubts.from_edge, false) as by_margin
from doubts
inner join written on doubts.text_hash = written.text_hash
where doubts.text_hash not in (select unnest(cast(? as varchar[])))
    and (
        ?
        or doubts.text_hash in (select text_hash from said where mode_id in (select unnest(cast(? as varchar[]))))
    )
order by least(doubts.from_edge, coalesce(doubts.margin, 1)), written.comments desc, doubts.text_hash
limit ?
"""

FORMS = """
select distinct normal_form
from int_texts
where text_hash in (select unnest(cast(? as varchar[])))
order by normal_form
"""

HASHES = """
select event_key, text_hash
from fct_feedback
where text_hash is not null and event_key in (select unnest(cast(? as varchar[])))
"""
