"""Which failure modes each text shows, as a table. Glue between columns of the warehouse, classifier and vectors.

In this order: what persons say who agree; a member of a discovered mode belongs to it; then what the classifier is sure
of; then the nearest discovered mode, if near enough; else the text is abstained on. Beside the first, the further modes
that the classifier sees. Keyed by (text hash, model version, taxonomy digest), so that a text's answer never depends on
when it came or on what stood beside it.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from ingest.home import Home
from ingest.vectors import embedding_name, find, vectors_of
from models.ids import content_id
from stats.wilson import wilson
from text.normal_form import normal_form, text_hash
from transforms.taxonomy.centroids import assign_to_centroids
from transforms.taxonomy.examples import Examples
from transforms.taxonomy.version import model_version

if TYPE_CHECKING:
    from transforms.taxonomy.card import ModeScore
    from transforms.taxonomy.classifier import SeededClassifier

_FITTED: "dict[str, SeededClassifier]" = {}
"""By model version: fitting takes seconds, and gives the same for the same version."""

SCHEMA = pl.Schema(
    {
        "text_hash": pl.String,
        "rank": pl.Int32,
        "mode_id": pl.String,
        "top_mode": pl.String,
        "confidence": pl.Float64,
        "abstained": pl.Boolean,
        "similarity": pl.Float64,
        "model_version": pl.String,
        "taxonomy_digest": pl.String,
    }
)

CARD_SCHEMA = pl.Schema(
    {
        "model_version": pl.String,
        "embedding": pl.String,
        "seeds": pl.Int64,
        "labels": pl.Int64,
        "modes": pl.Int64,
        "folds": pl.Int64,
        "repeats": pl.Int64,
        "accuracy": pl.Float64,
        "ece": pl.Float64,
        "auroc": pl.Float64,
        "precision": pl.Float64,
        "coverage": pl.Float64,
        "threshold": pl.Float64,
        "wanted_precision": pl.Float64,
        "by_mode": pl.String,
    }
)


class Version(NamedTuple):
    """What an assignment depends on beside its text."""

    model: str
    """Seeds, labels, embedding and the classifier's code."""
    taxonomy: str
    """The discovered modes, with the texts of their members, and what persons say of texts."""


class Modes(NamedTuple):
    """The discovered modes, in the order in which they were proposed."""

    ids: list[str]
    centroids: np.ndarray
    """(k, d)."""
    members: dict[str, str]
    """Text hash -> mode, the first that has it."""


def build_home() -> Home:
    """The home that the running build belongs to."""
    return Home(Path(os.environ["FLYWHEEL_BUILD_HOME"]))


def ready(texts: pl.DataFrame, examples: Examples) -> pl.DataFrame:
    """Those of `texts` (`text_hash`, `normal_form`) that the running build assigns by `examples`: all, or, in a build
    that is not to embed, those that have a vector, once the examples have theirs.
    """
    if os.environ.get("FLYWHEEL_BUILD_EMBED") != "known" or texts.is_empty():
        return texts
    home = build_home()
    learnt = {text_hash(text) for text in examples.texts}
    known = find(home.embeddings / embedding_name(home), [*texts["text_hash"], *learnt])
    return texts.filter(pl.col("text_hash").is_in(list(known)) & (learnt <= known.keys()))


def current_version(
    examples: Examples, proposed: pl.DataFrame, members: pl.DataFrame, home: Home | None = None
) -> Version:
    """The version of assignments by `examples`, `proposed` modes and their `members`' texts."""
    learnt = sorted(zip(examples.modes, examples.texts, strict=True))
    embedding = embedding_name(home or build_home())
    taxonomy = [sorted(set(proposed["mode_id"].to_list())), sorted(members.select("mode_id", "text_hash").iter_rows())]
    said = sorted((text, list(modes)) for text, modes in examples.said.items())
    return Version(
        model_version(examples.texts, examples.modes, embedding), content_id("taxonomy", [learnt, taxonomy, said])
    )


def assignments(
    texts: pl.DataFrame, examples: Examples, proposed: pl.DataFrame, members: pl.DataFrame, version: Version
) -> pl.DataFrame:
    """One row (SCHEMA) per mode that a row of `texts` (`text_hash`, `normal_form`) shows, or for its abstention."""
    if texts.is_empty():
        return SCHEMA.to_frame()

    texts = texts.sort("text_hash")
    hashes, forms = texts["text_hash"].to_list(), texts["normal_form"].to_list()
    vectors = vectors_of(build_home())(hashes, forms)
    classifier = fitted(examples, version)
    said = classifier.assign_forms(forms, vectors)
    modes = discovered(proposed, members)
    nearest = assign_to_centroids(vectors, modes.centroids)
    near_modes = [modes.ids[place] if place >= 0 else None for place in map(int, nearest.index)]
    columns = zip(
        hashes,
        said.mode_id,
        said.top_mode,
        said.confidence.tolist(),
        said.further,
        near_modes,
        nearest.cosine.tolist(),
        strict=True,
    )
    rows: list[tuple[object, ...]] = []
    for text, seeded, top_mode, confidence, further, near, cosine in columns:
        similarity = cosine if modes.ids else None
        shown = _shown(
            seeded,
            confidence,
            further,
            said=examples.said.get(text),
            member_of=modes.members.get(text),
            near=near,
            similarity=similarity,
        )
        rows += [
            (text, rank, mode, top_mode, sure, mode is None, similarity, version.model, version.taxonomy)
            for rank, (mode, sure) in enumerate(shown or [(None, confidence)], start=1)
        ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def fitted(examples: Examples, version: Version) -> "SeededClassifier":
    """The classifier that learns from `examples`; fitted once a process."""
    if version.model not in _FITTED:
        from transforms.taxonomy.fit import fit  # noqa: PLC0415  (scikit-learn takes a second)

        forms = [normal_form(text) for text in examples.texts]
        vectors = vectors_of(build_home())([text_hash(form) for form in forms], forms)
        _FITTED[version.model] = fit(forms, examples.modes, vectors)
    return _FITTED[version.model]


def discovered(proposed: pl.DataFrame, members: pl.DataFrame) -> Modes:
    """The modes with a centroid (`mode_id`, `centroid` as JSON, `log_offset`), each once. Of the modes that a text is a
    member of, one that a person named comes first."""
    ordered = proposed.sort("log_offset").unique("mode_id", keep="first", maintain_order=True)
    ids: list[str] = ordered["mode_id"].to_list()
    centroids: Sequence[Sequence[float]] = [json.loads(centroid) for centroid in ordered["centroid"]]
    place = {mode: number for number, mode in enumerate(ids)}
    of_text: dict[str, str] = {}
    for mode, text in sorted(
        members.select("mode_id", "text_hash").iter_rows(), key=lambda row: (place.get(row[0], -1), *row)
    ):
        of_text.setdefault(text, mode)
    return Modes(ids, np.array(centroids, dtype=np.float64), of_text)


def _shown(
    seeded: str | None,
    confidence: float,
    further: Sequence[tuple[str, float]],
    *,
    said: tuple[str, ...] | None,
    member_of: str | None,
    near: str | None,
    similarity: float | None,
) -> list[tuple[str, float | None]]:
    """Modes of one text with confidence, the clearest first; none where abstained."""
    if said is not None:  # by persons; in the classifier's order as far as it has one
        seen = [mode for mode in (seeded, *(mode for mode, _ in further)) if mode in said]
        return [(mode, 1.0) for mode in [*seen, *(mode for mode in said if mode not in seen)]]
    by_classifier: list[tuple[str, float | None]] = [(seeded, confidence), *further] if seeded is not None else []
    if member_of is None:
        return by_classifier or ([(near, similarity)] if near is not None else [])
    first = next((sure for mode, sure in by_classifier if mode == member_of), similarity)
    return [(member_of, first), *((mode, sure) for mode, sure in by_classifier if mode != member_of)]


def cards(examples: Examples, version: Version, *, due: bool) -> pl.DataFrame:
    """The model card of the classifier (CARD_SCHEMA), or no row where none is due."""
    if not due:
        return CARD_SCHEMA.to_frame()
    card = fitted(examples, version).card
    row = {
        "model_version": version.model,
        "embedding": embedding_name(build_home()),
        "seeds": card.examples - examples.labels,
        "labels": examples.labels,
        **{name: value for name, value in card._asdict().items() if name not in ("examples", "by_mode")},
        "by_mode": json.dumps([_with_intervals(score) for score in card.by_mode]),
    }
    return pl.DataFrame([row], schema=CARD_SCHEMA)


def _with_intervals(score: "ModeScore") -> dict[str, Any]:
    shares = {"precision": score.assigned, "recall": score.support}
    intervals = {name: wilson(score.correct, of) if of else None for name, of in shares.items()}
    return score._asdict() | {
        f"{name}_{end}": round(getattr(both, end), 6) if both else None
        for name, both in intervals.items()
        for end in ("low", "high")
    }
