"""Whether modes keep their ids as texts come in, and whether what is new is found: CLINC150 from 3,500 to 7,500 rows.

    python -m benchmarks.failure_modes_ids [--quick] [--choose] [--json FILE]

A: 3,500 texts of 130 intents, of the val and test parts, are cut into modes. B: 4,000 more come, 50 of each of the 20
intents that A lacks, the rest of the 130. `discover` gets A's modes and members as known, and B as new. The
figures are means of five draws.

ids_kept: share of A's modes whose texts are still together under their id. new_found: of the 20, those of which some
new mode has at least half, and which are over half of that mode. new_covered: share of the texts of the 20 in a new
mode. false_new: share of B's texts of the 130 in a new mode. BERTopic: a model on A, one on B, joined by its own
`merge_models` (similarity .7, its default).

NEAR, AS_NEAR and ATTACHED of `discover` were chosen by `--choose` on banking77's train part (67 intents, 10 new): the
most new texts covered among those with at most 5% false.
"""

import argparse
import importlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.failure_modes_clustering import in_own_process
from benchmarks.failure_modes_input import Labelled, banking, clinc, subset
from models.ids import content_id
from text.normal_form import text_hash
from transforms.taxonomy import discovery
from transforms.taxonomy.assign import discovered

DRAWS = (1, 2, 3, 4, 5)
GRID = [(near, as_near, attached) for near in (0.9, 0.95) for as_near in (0.0, 0.03, 0.05) for attached in (0.35, 0.5)]

Labels = NDArray[np.int64]


class Sizes(NamedTuple):
    """How many intents are new, texts in A, texts in B, and texts of each new intent in it."""

    new: int
    before: int
    after: int
    each: int


class Grown(NamedTuple):
    """A, B, and which intents are new in B."""

    before: Labelled
    after: Labelled
    new: set[str]


class Outcome(NamedTuple):
    """The figures of one draw."""

    ids_kept: float
    new_found: float
    false_new: float
    new_covered: float


def main() -> None:
    """Print a table, a row a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="1,050 texts of 39 intents, 6 of them new, one draw")
    parser.add_argument("--choose", action="store_true", help="print the grid that the settings were chosen from")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--part", choices=("ours", "bertopic"), help="only this one, in this process")
    args = parser.parse_args()
    if args.choose:
        choose()
        return
    if args.part:
        print(json.dumps(_figures(args.part, args.quick)))
        return
    found = measure(quick=args.quick)
    for key, value in found.items():
        print(f"{key:28} {value:.4f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(*, quick: bool = False) -> dict[str, float]:
    """Ours and BERTopic's, each in a process of its own."""
    return {
        **in_own_process("benchmarks.failure_modes_ids", "ours", quick),
        **in_own_process("benchmarks.failure_modes_ids", "bertopic", quick),
    }


def _figures(part: str, quick: bool) -> dict[str, float]:
    sizes = Sizes(6, 900, 1_050, 50) if quick else Sizes(20, 3_500, 4_000, 50)
    texts = _clinc(39 if quick else 150)
    grow = _ours if part == "ours" else _bertopic
    prefix = "" if part == "ours" else "bertopic_"
    found = [grow(_grown(texts, sizes, draw)) for draw in (DRAWS[:1] if quick else DRAWS)]
    return {
        f"{prefix}ids_kept": float(np.mean([one.ids_kept for one in found])),
        f"{prefix}new_found": float(np.mean([one.new_found for one in found])),
        f"{prefix}new_found_least": min(one.new_found for one in found),
        f"{prefix}false_new": float(np.mean([one.false_new for one in found])),
        f"{prefix}new_covered": float(np.mean([one.new_covered for one in found])),
        f"{prefix}false_new_most": max(one.false_new for one in found),
    }


def _clinc(intents: int) -> Labelled:
    """Val and test part together: 50 texts an intent."""
    one, other = clinc("val"), clinc("test")
    both = Labelled(one.texts + other.texts, one.intents + other.intents, np.vstack([one.vectors, other.vectors]))
    chosen = sorted(set(both.intents))[:intents]
    return subset(both, np.flatnonzero(np.isin(both.intents, chosen)))


def _grown(texts: Labelled, sizes: Sizes, draw: int) -> Grown:
    chance = np.random.default_rng(draw)
    intents = np.array(texts.intents)
    new: list[str] = chance.choice(np.unique(intents), sizes.new, replace=False).tolist()
    old = chance.permutation(np.flatnonzero(~np.isin(intents, new)))
    rest = old[sizes.before : sizes.before + sizes.after - sizes.new * sizes.each]
    fresh = [chance.permutation(np.flatnonzero(intents == name))[: sizes.each] for name in new]
    after = chance.permutation(np.concatenate([rest, *fresh]))
    return Grown(subset(texts, old[: sizes.before]), subset(texts, after), set(new))


def _ours(grown: Grown) -> Outcome:
    before, after = grown.before, grown.after
    known = discovery.discover(before.vectors, keys=_keys(len(before.texts)))
    found = discovery.discover(
        after.vectors,
        keys=_keys(len(after.texts)),
        known_centroids=known.centroids,
        known_members=before.vectors[known.labels >= 0],
    )
    first = [_born(before.texts, known, 0)]
    had, has = (
        _modes(before.texts, born) for born in (first, [*first, _born(after.texts, found, len(known.centroids))])
    )
    return Outcome(
        _kept(had, has), _found(grown, found.labels), _false(grown, found.labels), _covered(grown, found.labels)
    )


def _born(texts: list[str], clusters: discovery.Clusters, start: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Modes and their members as the warehouse has them once a discovery has proposed `clusters`, the first as the
    `start`-th mode of all.
    """
    hashes = [text_hash(text) for text in texts]
    labels: list[int] = clusters.labels.tolist()
    of_mode = [
        sorted({hash_ for hash_, label in zip(hashes, labels, strict=True) if label == place})
        for place in range(len(clusters.centroids))
    ]
    ids = [content_id("mode", members) for members in of_mode]
    modes = {
        "mode_id": ids,
        "centroid": [json.dumps(centroid) for centroid in clusters.centroids.tolist()],
        "log_offset": list(range(start, start + len(ids))),
    }
    pairs = [(mode, hash_) for mode, members in zip(ids, of_mode, strict=True) for hash_ in members]
    return pl.DataFrame(modes), pl.DataFrame(pairs, schema=["mode_id", "text_hash"], orient="row")


def _modes(texts: list[str], born: list[tuple[pl.DataFrame, pl.DataFrame]]) -> list[str | None]:
    """The mode of each text after these discoveries, by the product's own rule."""
    members = discovered(pl.concat([modes for modes, _ in born]), pl.concat([pairs for _, pairs in born])).members
    return [members.get(text_hash(text)) for text in texts]


def _bertopic(grown: Grown) -> Outcome:
    library: Any = importlib.import_module("bertopic").BERTopic
    umap: Any = importlib.import_module("umap").UMAP
    models: list[Any] = []
    topics: list[list[int]] = []
    for texts in (grown.before, grown.after):
        reducer = umap(
            n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", low_memory=False, random_state=7, n_jobs=1
        )
        models.append(library(umap_model=reducer))
        topics.append(models[-1].fit_transform(texts.texts, texts.vectors)[0])
    merged = library.merge_models(models, min_similarity=0.7)
    count = max(topics[0]) + 1
    now = [int(topic) for topic in merged.topics_]
    had = [None if topic < 0 else str(topic) for topic in topics[0]]
    has = [None if topic < 0 else str(topic) for topic in now[: len(had)]]
    after = np.array(now[len(had) :])
    labels = np.where(after >= count, after - count, -1)
    return Outcome(_kept(had, has), _found(grown, labels), _false(grown, labels), _covered(grown, labels))


def _kept(had: list[str | None], has: list[str | None]) -> float:
    """Share of the ids of `had` under which most of their texts still are."""
    ids = sorted({one for one in had if one is not None})
    kept = [np.mean([now == one for was, now in zip(had, has, strict=True) if was == one]) > 0.5 for one in ids]
    return float(np.mean(kept))


def _found(grown: Grown, labels: Labels) -> float:
    intents = np.array(grown.after.intents)
    found = 0
    for name in grown.new:
        of_new = labels[(intents == name) & (labels >= 0)]
        if len(of_new):
            label = int(np.bincount(of_new).argmax())
            have = int((of_new == label).sum())
            found += have >= 0.5 * (intents == name).sum() and have > 0.5 * (labels == label).sum()
    return float(found)


def _false(grown: Grown, labels: Labels) -> float:
    old = ~np.isin(grown.after.intents, list(grown.new))
    return float((labels[old] >= 0).mean())


def _covered(grown: Grown, labels: Labels) -> float:
    new = np.isin(grown.after.intents, list(grown.new))
    return float((labels[new] >= 0).mean())


def choose() -> None:
    """Print the mean new_found and false_new on banking77 by NEAR, AS_NEAR and ATTACHED."""
    texts = banking("train")
    grown = [_grown(texts, Sizes(10, 1_800, 2_000, 50), draw) for draw in DRAWS]
    changed: Any = discovery
    kept = (discovery.NEAR, discovery.AS_NEAR, discovery.ATTACHED)
    for near, as_near, attached in GRID:
        changed.NEAR, changed.AS_NEAR, changed.ATTACHED = near, as_near, attached
        found = np.mean([_ours(one) for one in grown], axis=0)
        said = f"found {found[1]:.1f} of 10, false {found[2]:.4f}, covered {found[3]:.4f}"
        print(f"{near:5} {as_near:5} {attached:5} {said}", flush=True)
    changed.NEAR, changed.AS_NEAR, changed.ATTACHED = kept


def _keys(count: int) -> list[str]:
    return [f"{row:08}" for row in range(count)]


if __name__ == "__main__":
    main()
