"""What a discovery asks about modes that are there: are two nearly the same, does one say several things? Pure.

Nothing is merged or split by it: a person answers, and until then counts stay what they are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.events.taxonomy import MergeProposed, ModeProposed, SplitProposed
from models.ids import content_id, event_id
from transforms.taxonomy.centroids import Floats, cosines
from transforms.taxonomy.changes import SOURCE
from transforms.taxonomy.discovery import discover
from transforms.taxonomy.fold import RESERVED, Taxonomy
from transforms.taxonomy.naming import name_clusters

NEARLY_ONE: Final = 0.8
"""Cosine of the centroids of two discovered modes from which they may be one."""
OF_ONE_MIND: Final = 0.9
"""Share of a new mode's comments for which the classifier, though not sure, thinks of one and the same mode."""
PART_MEMBERS: Final = 8
"""Texts that a part of a split needs."""
APART: Final = 0.5
"""Cosine between the centroids of two parts below which they say different things. Chosen on banking77, where it asks
about 3 of 77 intents and about 81 of 100 pairs of intents in one mode; on CLINC150 then about 9 of 150 and 94 of 100,
with parts that are of one intent to 99.8%."""
COVERED: Final = 0.8
"""Share of a mode's texts that the parts have to have between them."""

CENTROID_DECIMALS: Final = 6


class Texts(NamedTuple):
    """n distinct texts: hashes, normal forms, the sorted event keys of each, and vectors (n, d)."""

    hashes: Sequence[str]
    forms: Sequence[str]
    events: Sequence[Sequence[str]]
    vectors: NDArray[np.floating]


def merges(
    known: Taxonomy, new: Sequence[ModeProposed], old: Mapping[str, Sequence[float]], guesses: Mapping[str, str]
) -> list[MergeProposed]:
    """Merges of `new` modes into those that they may be a part of, each asked once.

    `old` are centroids of modes that stand, `guesses` what the classifier thinks of first, by event key.
    """
    asked: list[MergeProposed] = []
    for mode in new:
        target = _by_centroid(mode, old) or _by_guess(known, mode, guesses)
        if target is None:
            continue
        proposal = content_id("merge", [target[0], mode.mode_id])
        if not known.was_proposed(proposal):
            asked.append(
                MergeProposed(
                    id=event_id("merge_proposed", proposal),
                    source=SOURCE,
                    proposal_id=proposal,
                    mode_id=target[0],
                    merged=(mode.mode_id,),
                    discovery_id=mode.discovery_id,
                    closeness=target[1],
                    reason=target[2],
                )
            )
    return asked


def _by_centroid(mode: ModeProposed, old: Mapping[str, Sequence[float]]) -> tuple[str, float, str] | None:
    others = {each: centroid for each, centroid in old.items() if len(centroid) == len(mode.centroid)}
    if not others:
        return None
    similar = cosines(np.array([mode.centroid]), np.array(list(others.values())))[0]
    best = int(similar.argmax())
    close = round(float(similar[best]), 3)
    return (list(others)[best], close, f"their centroids have a cosine of {close:.2f}") if close >= NEARLY_ONE else None


def _by_guess(known: Taxonomy, mode: ModeProposed, guesses: Mapping[str, str]) -> tuple[str, float, str] | None:
    thought = Counter(guesses[key] for key in mode.member_keys if key in guesses)
    if not thought:
        return None
    (guess, count) = min(thought.items(), key=lambda pair: (-pair[1], pair[0]))
    target = None if guess in RESERVED else known.successor(guess)
    share = round(count / len(mode.member_keys), 3)
    if target is None or share < OF_ONE_MIND:
        return None
    return target, share, f"for {count} of {len(mode.member_keys)} comments it is what the classifier thinks of first"


def split(mode_id: str, texts: Texts, embedding: str, discovery_id: str) -> list[ModeProposed | SplitProposed]:
    """The parts of a mode and the proposal to split it into them; [] where its texts say one thing.

    Parts are clusters that lie apart, and have nearly all of the texts between them; their ids are hashes of members.
    """
    if len(texts.hashes) < 2 * PART_MEMBERS:
        return []
    # No more neighbours than a part may have, so that small parts are not tied together.
    clusters = discover(
        texts.vectors, keys=texts.hashes, min_members=PART_MEMBERS, neighbours=PART_MEMBERS - 1, merge=APART
    )
    if len(clusters.centroids) < 2 or float((clusters.labels >= 0).mean()) < COVERED:
        return []
    between = cosines(clusters.centroids, clusters.centroids)
    closest = float(between[~np.eye(len(between), dtype=np.bool_)].max())
    if closest >= APART:
        return []
    parts: list[ModeProposed] = []
    for named in name_clusters(texts.forms, clusters.labels, texts.vectors):
        rows = np.flatnonzero(clusters.labels == named.label).tolist()
        members = sorted({event for row in rows for event in texts.events[row]})
        parts.append(
            proposed(
                members, texts.vectors[rows], clusters.centroids[named.label], name=named.name, terms=named.terms,
                medoid=texts.events[named.medoid][0], embedding=embedding, discovery_id=discovery_id, part_of=mode_id,
            )
        )  # fmt: skip
    part_ids = [part.mode_id for part in parts]
    proposal = content_id("split", [mode_id, sorted(part_ids)])
    asked = SplitProposed(
        id=event_id("split_proposed", proposal),
        source=SOURCE,
        proposal_id=proposal,
        mode_id=mode_id,
        part_ids=tuple(part_ids),
        discovery_id=discovery_id,
        closeness=round(closest, 3),
        reason=f"its {len(texts.hashes)} texts fall into {len(parts)} groups, whose centroids have a cosine of "
        f"{closest:.2f} at most",
    )
    return [*parts, asked]


def proposed(
    members: Sequence[str],
    vectors: NDArray[np.floating],
    centroid: Floats,
    *,
    name: str,
    terms: tuple[str, ...],
    medoid: str,
    embedding: str,
    discovery_id: str,
    part_of: str | None = None,
) -> ModeProposed:
    """A mode of these members (event keys) with the `vectors` (n, d) of their texts; its id is a hash of both."""
    content = [list(members), embedding] if part_of is None else [list(members), embedding, part_of]
    mode = content_id("mode", content)
    return ModeProposed(
        id=event_id("mode_proposed", mode),
        source=SOURCE,
        mode_id=mode,
        discovery_id=discovery_id,
        name=name,
        terms=terms,
        centroid=tuple(centroid.round(CENTROID_DECIMALS).tolist()),
        cohesion=round(float((vectors @ centroid).mean()), 3),
        embedding=embedding,
        member_keys=tuple(members),
        medoid_key=medoid,
        part_of=part_of,
    )
