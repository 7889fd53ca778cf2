"""A discovered mode some of whose members are erased: what is left of it rests on the other members alone. Pure.

Its id stays, so that what was assigned, accepted and asked of it stays. Terms stay that one of the others has written;
the centroid is theirs, since one member's part of it could be worked out from the rest.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.events.taxonomy import ModeProposed
from text.normal_form import normal_form, text_hash

Embed = Callable[[list[str], list[str]], NDArray[np.float32]]
"""(text hashes, normal forms) to unit vectors (n, d)."""

CENTROID_DECIMALS = 6
NAMED_BY = 3


def members(row: dict[str, Any]) -> list[str]:
    """The event keys of the members, of a row with `member_keys`."""
    return json.loads(row["member_keys"] or "[]")


def without(mode: ModeProposed, texts: Mapping[str, str], embed: Embed) -> ModeProposed:
    """`mode` as the members in `texts` (event key -> text; at least one) alone make it."""
    kept = [key for key in mode.member_keys if key in texts]
    forms = {key: normal_form(texts[key]) for key in kept}
    hashes = {key: text_hash(texts[key]) for key in kept}
    distinct = dict(sorted((hashes[key], forms[key]) for key in kept))
    vectors = dict(zip(distinct, embed(list(distinct), list(distinct.values())), strict=True))
    mean: NDArray[np.float64] = np.stack(list(vectors.values())).astype(np.float64).mean(axis=0)
    centroid = mean / max(float(np.linalg.norm(mean)), 1e-12)
    near = {key: float(vectors[hashes[key]] @ centroid) for key in kept}
    terms = tuple(term for term in mode.terms if any(_says(form, term) for form in forms.values()))
    return mode.model_copy(
        update={
            "member_keys": tuple(kept),
            "medoid_key": max(kept, key=lambda key: (round(near[key], 6), key)),
            "centroid": tuple(centroid.round(CENTROID_DECIMALS).tolist()),
            "cohesion": round(float(np.mean(list(near.values()))), 3),
            "terms": terms,
            "name": _name(mode, terms),
        }
    )


def _name(mode: ModeProposed, terms: tuple[str, ...]) -> str:
    """The name that it has, where every part of it is still said; else made of the terms that are."""
    if mode.name.split(" / ") and set(mode.name.split(" / ")) <= set(terms):
        return mode.name
    return " / ".join(terms[:NAMED_BY]) or f"mode {mode.mode_id[-8:]}"


def _says(form: str, term: str) -> bool:
    """Whether a normal form has the words of a term side by side; words that say nothing may stand between them."""
    words = form.split()
    place = 0
    for word in term.split():
        found = next((at for at in range(place, len(words)) if word in words[at]), None)
        if found is None:
            return False
        place = found + 1
    return True
