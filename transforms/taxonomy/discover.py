"""`flywheel modes discover`: new failure modes proposed as events, and accepted where a stated rule allows it.

What it finds about modes that are there (`proposals.py`) it asks, as events too, and a person answers.
Reads the published build for texts, and the log for what was discovered before, since the build may lag behind it. The
input is frozen as an event first, so that a discovery that was killed is repeated on the same input with the same ids.
The clustering itself is pure and stands in `discovery.py`.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.home import Home
from ingest.log import EventLog, publish, replay
from ingest.reader import query, reading
from ingest.vectors import embedding_name
from models.errors import BadEvent, TransientError
from models.events import AnyEvent, parse
from models.events.taxonomy import (
    DiscoveryCompleted,
    DiscoveryStarted,
    ModeAccepted,
    ModeProposed,
)
from models.ids import canonical_json, content_id, event_id
from transforms.taxonomy import fold
from transforms.taxonomy.asked import COMPLAINTS, asked_merges, asked_splits, distinct
from transforms.taxonomy.changes import SOURCE
from transforms.taxonomy.chosen_names import chosen_names, endpoint
from transforms.taxonomy.discovery import Labels, discover
from transforms.taxonomy.naming import ModeName, name_clusters
from transforms.taxonomy.proposals import proposed as proposal

MEMBERS_COMPARED = 50
"""Members of a known mode that new clusters are compared with."""
AT_MOST_BYTES = 800_000
"""Keys of comments in one discovery: its input is one event, which must fit the log (about 1 MB)."""


class DiscoverySettings(NamedTuple):
    """When a discovery is worth it, and the rule by which a proposed mode is accepted."""

    min_members: int = 5
    """Twice as many new comments must wait before there is another discovery."""
    accept_texts: int = 8
    """Near-duplicates are one."""
    accept_authors: int = 2
    """Voters: those of unknown authors count as several where the tool tells them apart."""
    accept_days: int = 1
    accept_cohesion: float = 0.65
    """Mean cosine of the members to their centroid. On CLINC150 with a fourth of the rows out of scope, 50 of 57
    clusters that reach it are over 70% one intent, and 8 of the 27 that don't."""


class Discovered(NamedTuple):
    """How many modes one call proposed, and how many it accepted."""

    proposed: int
    accepted: int
    asked: int = 0
    """Merges and splits that it proposed."""


class Discoveries(NamedTuple):
    """What the `taxonomy` topic says of discoveries, in the order of the log."""

    started: dict[str, DiscoveryStarted]
    proposed: dict[str, ModeProposed]
    completed: set[str]
    before: dict[str, tuple[str, ...]]
    """Discovery -> the modes that had been proposed when it started."""
    modes: fold.Taxonomy
    """What became of them."""


def discover_modes(home: Home, log: EventLog, settings: DiscoverySettings | None = None) -> Discovered:
    """Propose modes for what the published build abstains on, and accept what passes the rule.

    Does nothing where too little is new. Raises FlywheelError before the first build, and TransientError where the
    build lacks the input of a discovery that was broken off.
    """
    settings = settings or DiscoverySettings()
    with home.lock("discovery"):
        known = read_taxonomy(log)
        proposed = asked = 0
        due = _unfinished(known) or _next(home, known, settings)
        for started in due:
            if started.discovery_id not in known.started:
                publish(log, [started])
                known = read_taxonomy(log)
            modes, left_over = _propose(home, known, started)
            questions = [
                *asked_merges(home, known.modes, known.proposed, modes),
                *asked_splits(home, known.modes, started),
            ]
            publish(log, [*modes, *questions, _completed(started, len(modes), left_over)])
            proposed += len(modes)
            asked += sum(not isinstance(event, ModeProposed) for event in questions)
            known = read_taxonomy(log)
        accepted = _passing(home, known, settings)
        publish(log, accepted)
        return Discovered(proposed, len(accepted), asked)


def read_taxonomy(log: EventLog) -> Discoveries:
    """Fold the `taxonomy` topic; what is no event is passed over, as staging does."""
    known = Discoveries({}, {}, set(), {}, fold.Taxonomy(fold.seeded_modes()))
    for record in replay(log, "taxonomy"):
        try:
            event: AnyEvent = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, DiscoveryStarted):
            known.started.setdefault(event.discovery_id, event)
            known.before.setdefault(event.discovery_id, tuple(known.proposed))
        elif isinstance(event, ModeProposed):
            known.proposed.setdefault(event.mode_id, event)
        elif isinstance(event, DiscoveryCompleted):
            known.completed.add(event.discovery_id)
        known.modes.add(event, record.appended_at)
    return known


def _unfinished(known: Discoveries) -> list[DiscoveryStarted]:
    return [started for discovery, started in known.started.items() if discovery not in known.completed]


def _next(home: Home, known: Discoveries, settings: DiscoverySettings) -> list[DiscoveryStarted]:
    """The discovery that is due: [] or one."""
    members = {member for mode in known.proposed.values() for member in mode.member_keys}
    waiting = query(home, ABSTAINED).rows
    looked_at = {event for started in known.started.values() for event in started.event_keys}
    # What nobody has looked at comes first, so that a backlog beyond the limit is worked off in turns.
    keys = sorted({str(row[0]) for row in waiting} - members, key=lambda event: (event in looked_at, event))
    if sum(event not in looked_at for event in keys) < 2 * settings.min_members:
        return []
    event_keys = sorted(_first(keys, AT_MOST_BYTES))
    embedding = embedding_name(home)
    digest = content_id("taxonomy", [str(waiting[0][1]), sorted(known.proposed)])
    discovery = content_id("discovery", [event_keys, embedding, digest])
    return [
        DiscoveryStarted(
            id=event_id("discovery_started", discovery),
            source=SOURCE,
            discovery_id=discovery,
            event_keys=tuple(event_keys),
            embedding=embedding,
            taxonomy_digest=digest,
        )
    ]


def _first(keys: Sequence[str], at_most_bytes: int) -> list[str]:
    """As many of `keys` as fit, each as JSON has it with its comma."""
    sizes = accumulate(len(canonical_json(key).encode()) + 1 for key in keys)
    return [key for key, size in zip(keys, sizes, strict=True) if size <= at_most_bytes]


def _propose(home: Home, known: Discoveries, started: DiscoveryStarted) -> tuple[list[ModeProposed], int]:
    """The modes in the input of `started`, and how many of its events are in none."""
    rows = _texts(home, started.event_keys)
    if rows.is_empty():
        return [], len(started.event_keys)  # all of it has been erased since
    hashes, forms, events, vectors = distinct(home, rows)
    before = [known.proposed[mode] for mode in known.before.get(started.discovery_id, ())]
    frozen = np.array([mode.centroid for mode in before], dtype=np.float64) if before else None
    clusters = discover(vectors, keys=hashes, known_centroids=frozen, known_members=_members(home, before))
    modes: list[ModeProposed] = []
    for named in _named(home, forms, clusters.labels, vectors):
        rows_of = np.flatnonzero(clusters.labels == named.label).tolist()
        members = sorted({event for row in rows_of for event in events[row]})
        modes.append(
            proposal(
                members, vectors[rows_of], clusters.centroids[named.label], name=named.name, terms=named.terms,
                medoid=events[named.medoid][0], embedding=started.embedding, discovery_id=started.discovery_id,
            )
        )  # fmt: skip
    return modes, len(started.event_keys) - sum(len(mode.member_keys) for mode in modes)


def _named(home: Home, forms: Sequence[str], labels: Labels, vectors: NDArray[np.floating]) -> list[ModeName]:
    """The clusters with names of ours, or those that a language model chose of ours where the settings name one."""
    named = name_clusters(forms, labels, vectors)
    if (asked := endpoint()) is None:
        return named
    members = [[forms[row] for row in np.flatnonzero(labels == mode.label).tolist()] for mode in named]
    return chosen_names(named, members, asked, home.path / "names")


def _members(home: Home, modes: Sequence[ModeProposed]) -> NDArray[np.floating] | None:
    """Vectors (q, d) of some members of each mode, as far as the published build has them; None where it has none."""
    keys = [key for mode in modes for key in mode.member_keys[:MEMBERS_COMPARED]]
    rows = pl.DataFrame(query(home, TEXTS, [keys]).rows if keys else [], schema=COMPLAINTS, orient="row")
    return None if rows.is_empty() else distinct(home, rows).vectors


def _texts(home: Home, event_keys: Sequence[str]) -> pl.DataFrame:
    """`COMPLAINTS` of these events, by the published build, but for those that were erased since.

    Raises TransientError if the build lacks some.
    """
    with reading(home) as ask:
        found = ask(TEXTS, [list(event_keys)]).rows
        erased = int(ask(ERASED, [list(event_keys)]).rows[0][0]) if len(found) < len(event_keys) else 0
    frame = pl.DataFrame(found, schema=COMPLAINTS, orient="row")
    if (missing := len(event_keys) - frame.height - erased) > 0:
        raise TransientError(
            f"the published build lacks {missing} of a discovery's {len(event_keys)} comments: "
            "run flywheel sink --once && flywheel build, then this again"
        )
    return frame


def _passing(home: Home, known: Discoveries, settings: DiscoverySettings) -> list[ModeAccepted]:
    """Acceptances of the proposed modes that pass the rule, by their members and what the build assigns to them."""
    open_modes = {
        mode: event
        for mode, event in known.proposed.items()
        if known.modes.modes[mode].stands and known.modes.modes[mode].status == "proposed"
    }
    accepted: list[ModeAccepted] = []
    for mode, event in open_modes.items():
        texts, authors, days = query(home, SUPPORT, [list(event.member_keys), mode]).rows[0]
        if (
            texts >= settings.accept_texts
            and authors >= settings.accept_authors
            and days >= settings.accept_days
            and event.cohesion >= settings.accept_cohesion
        ):
            accepted.append(
                ModeAccepted(
                    id=event_id("mode_accepted", mode, "rule"),
                    source=SOURCE,
                    mode_id=mode,
                    accepted_by="rule",
                    reason=f"{texts} texts by {authors} authors on {days} days, cohesion {event.cohesion:.2f}; the "
                    f"rule asks for {settings.accept_texts}, {settings.accept_authors}, {settings.accept_days} and "
                    f"{settings.accept_cohesion:.2f}",
                )
            )
    return accepted


def _completed(started: DiscoveryStarted, proposed: int, left_over: int) -> DiscoveryCompleted:
    return DiscoveryCompleted(
        id=event_id("discovery_completed", started.discovery_id),
        source=SOURCE,
        discovery_id=started.discovery_id,
        proposed=proposed,
        left_over=left_over,
    )


ABSTAINED = """
select distinct feedback.event_key, assignments.model_version
from fct_feedback as feedback
inner join int_text_assignments as assignments on feedback.text_hash = assignments.text_hash
where feedback.is_current
    and assignments.abstained
    and coalesce(feedback.is_negative, assignments.top_mode <> 'praise')
order by feedback.event_key
"""

TEXTS = """
select feedback.event_key, groups.group_hash, min(texts.normal_form)
from fct_feedback as feedback
inner join int_text_groups as groups on feedback.text_hash = groups.text_hash
inner join int_texts as texts on groups.group_hash = texts.text_hash
where feedback.event_key in (select unnest(?))
group by feedback.event_key, groups.group_hash
order by feedback.event_key
"""

ERASED = """
select count(distinct source || '|' || event_id)
from base_feedback
where erased is not null and source || '|' || event_id in (select unnest(?))
"""

SUPPORT = """
select
    count(distinct groups.group_hash),
    count(distinct feedback.source || '|' || feedback.voter),
    count(distinct cast(feedback.happened_at as date))
from fct_feedback as feedback
inner join int_text_groups as groups on feedback.text_hash = groups.text_hash
where feedback.is_current
    and (
        feedback.event_key in (select unnest(?))
        or feedback.event_key in (select event_key from fct_feedback_modes where mode_id = ?)
    )
"""
