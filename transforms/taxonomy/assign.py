"""Which failure mode each text shows, as a table. Glue between the warehouse's columns, the classifier and the vectors.

In this order: a member of a discovered mode belongs to it; then what the seeded classifier is sure of; then the nearest
discovered mode, if near enough; else the text is abstained on. Keyed by (text hash, model version, taxonomy digest), so
that a text's answer never depends on when it came or on what stood beside it.
"""

import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ingest.home import Home
from ingest.vectors import Embed, embedding_name, find, vectors_of
from models.ids import content_id, digest
from text.normal_form import normal_form, text_hash
from transforms.code import ROOT
from transforms.taxonomy.centroids import assign_to_centroids

if TYPE_CHECKING:
    from transforms.taxonomy.classifier import SeededClassifier

RECIPE = (
    *(f"transforms/taxonomy/{name}.py" for name in ("assign", "centroids", "classifier", "features", "gate", "linear")),
    "stats/calibration.py",
)
"""The modules whose code decides an assignment."""

_FITTED: "dict[str, SeededClassifier]" = {}
"""By model version: fitting takes seconds, and gives the same for the same version."""

SCHEMA = pl.Schema(
    {
        "text_hash": pl.String,
        "mode_id": pl.String,
        "top_mode": pl.String,
        "confidence": pl.Float64,
        "abstained": pl.Boolean,
        "similarity": pl.Float64,
        "model_version": pl.String,
        "taxonomy_digest": pl.String,
    }
)


class Version(NamedTuple):
    """What an assignment depends on beside its text."""

    model: str
    """Seeds, embedding and the classifier's code."""
    taxonomy: str
    """The discovered modes, with the texts of their members."""


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


def ready(texts: pl.DataFrame, examples: pl.DataFrame) -> pl.DataFrame:
    """Those of `texts` (`text_hash`, `normal_form`) that the running build assigns by `examples`: all, or, in a build
    that is not to embed, those that have a vector, once the examples have theirs.
    """
    if os.environ.get("FLYWHEEL_BUILD_EMBED") != "known" or texts.is_empty():
        return texts
    home = build_home()
    seeds = {text_hash(text) for text in examples["text"]}
    known = find(home.embeddings / embedding_name(home), [*texts["text_hash"], *seeds])
    return texts.filter(pl.col("text_hash").is_in(list(known)) & (seeds <= known.keys()))


def current_version(
    examples: pl.DataFrame, proposed: pl.DataFrame, members: pl.DataFrame, home: Home | None = None
) -> Version:
    """The version of assignments by `examples` (`mode_id`, `text`), `proposed` modes and their `members`' texts."""
    seeds = sorted(examples.select("mode_id", "text").iter_rows())
    embedding = embedding_name(home or build_home())
    taxonomy = [sorted(set(proposed["mode_id"].to_list())), sorted(members.select("mode_id", "text_hash").iter_rows())]
    return Version(content_id("classifier", [seeds, embedding, _recipe()]), content_id("taxonomy", [seeds, taxonomy]))


def assignments(
    texts: pl.DataFrame, examples: pl.DataFrame, proposed: pl.DataFrame, members: pl.DataFrame, version: Version
) -> pl.DataFrame:
    """One row (SCHEMA) per row of `texts` (`text_hash`, `normal_form`)."""
    if texts.is_empty():
        return SCHEMA.to_frame()

    embed = vectors_of(build_home())
    texts = texts.sort("text_hash")
    hashes, forms = texts["text_hash"].to_list(), texts["normal_form"].to_list()
    seeds = examples.sort("mode_id", "text")
    vectors = embed(hashes, forms)
    if version.model not in _FITTED:
        _FITTED[version.model] = _fit(seeds["text"].to_list(), seeds["mode_id"].to_list(), embed)
    said = _FITTED[version.model].assign(forms, vectors)
    modes = discovered(proposed, members)
    nearest = assign_to_centroids(vectors, modes.centroids)
    near: list[int] = nearest[0].tolist()
    rows = [
        _row(
            hashes[row],
            seeded=None if said.abstained[row] else str(said.mode_id[row]),
            top_mode=str(said.top_mode[row]),
            confidence=float(said.confidence[row]),
            member_of=modes.members.get(hashes[row]),
            near=modes.ids[near[row]] if near[row] >= 0 else None,
            similarity=float(nearest.cosine[row]) if modes.ids else None,
        )
        for row in range(len(hashes))
    ]
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(
        model_version=pl.lit(version.model), taxonomy_digest=pl.lit(version.taxonomy)
    )


def _fit(texts: list[str], modes: list[str], embed: Embed) -> "SeededClassifier":
    from transforms.taxonomy.classifier import fit  # noqa: PLC0415  (scikit-learn takes a second)

    return fit(texts, modes, embed([text_hash(text) for text in texts], [normal_form(text) for text in texts]))


@functools.cache
def _recipe() -> str:
    """Digest of the code that fits and assigns."""
    return digest([(ROOT / name).read_text() for name in RECIPE])


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


def _row(
    text: str,
    *,
    seeded: str | None,
    top_mode: str,
    confidence: float,
    member_of: str | None,
    near: str | None,
    similarity: float | None,
) -> dict[str, object]:
    mode = member_of or seeded or near
    by_classifier = mode is None or mode == seeded
    return {
        "text_hash": text,
        "mode_id": mode,
        "top_mode": top_mode,
        "confidence": confidence if by_classifier else similarity,
        "abstained": mode is None,
        "similarity": similarity,
    }
