"""The texts that failure modes are measured on, with intents and vectors: CLINC150 and banking77, from shared/data.

Vectors are computed once by the product's own embedder, and kept outside the repository: in the folder that
FLYWHEEL_BENCH_CACHE names, else under the user's cache. Leaves out measuring.
"""

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.vectors import find, keep
from text.embedding import Embedder, load_embedder
from text.normal_form import normal_form, text_hash

DATA = Path(__file__).parents[2] / "shared/data"
CACHE_SETTING = "FLYWHEEL_BENCH_CACHE"
AT_ONCE = 512
"""Texts that are embedded before they are kept: what a killed run loses at most."""


class Labelled(NamedTuple):
    """n texts (normal forms), their intents, and their unit vectors (n, d)."""

    texts: list[str]
    intents: list[str]
    vectors: NDArray[np.float32]


def clinc(part: str, data: Path = DATA) -> Labelled:
    """A part of CLINC150: train, val, test, or the same with `oos_` before it, whose intent is `oos`."""
    rows: list[tuple[str, str]] = json.loads((data / "clinc150/data_full.json").read_text())[part]
    return labelled([text for text, _ in rows], [intent for _, intent in rows])


def banking(part: str, data: Path = DATA) -> Labelled:
    """A part of banking77: train or test."""
    with (data / f"banking77_cluster_yardstick/{part}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return labelled([row["text"] for row in rows], [row["category"] for row in rows])


def labelled(texts: Sequence[str], intents: Sequence[str]) -> Labelled:
    """Texts with their intents, normalised and embedded."""
    forms = [normal_form(text) for text in texts]
    return Labelled(forms, list(intents), vectors_of(forms))


def vectors_of(forms: Sequence[str], embedder: Embedder | None = None) -> NDArray[np.float32]:
    """(n, d) unit vectors of normal forms; only what no run before has embedded is computed."""
    embedder = embedder or load_embedder()
    folder = cache() / f"{embedder.model_id}-{embedder.dtype}"
    hashes = [text_hash(form) for form in forms]
    known = find(folder, hashes)
    missing = {key: form for key, form in zip(hashes, forms, strict=True) if key not in known}
    keys = list(missing)
    for start in range(0, len(keys), AT_ONCE):
        now = keys[start : start + AT_ONCE]
        fresh = embedder.embed([missing[key] for key in now])
        keep(folder, now, fresh)
        known |= dict(zip(now, fresh, strict=True))
    return np.stack([known[key] for key in hashes])


def cache() -> Path:
    """The folder for vectors, made where it is not there yet."""
    folder = Path(os.environ.get(CACHE_SETTING) or Path.home() / ".cache/flywheel/benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def some_intents(texts: Labelled, intents: int, rows: int, seed: int) -> Labelled:
    """Up to `rows` texts of each of so many intents, drawn by `seed`."""
    draw = np.random.default_rng(seed)
    labels = np.array(texts.intents)
    names = draw.choice(np.unique(labels), intents, replace=False)
    chosen = np.concatenate([draw.permutation(np.flatnonzero(labels == name))[:rows] for name in names])
    return subset(texts, chosen)


def subset(texts: Labelled, rows: NDArray[np.int64]) -> Labelled:
    """These rows of it, in this order."""
    return Labelled(
        [texts.texts[row] for row in rows.tolist()],
        [texts.intents[row] for row in rows.tolist()],
        texts.vectors[rows],
    )
