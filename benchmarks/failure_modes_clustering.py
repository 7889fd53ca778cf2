"""How well discovery finds the intents of CLINC150 and banking77 among vectors, how stable it is, and at what cost;
beside BERTopic on the same vectors.

    python -m benchmarks.failure_modes_clustering [--quick] [--choose] [--json FILE]

Discovery runs through `transforms.taxonomy.discovery.discover` and names its clusters, as BERTopic does. BERTopic is
run as its documentation says: defaults (a topic has 10 texts or more), our vectors given, UMAP seeded as it recommends
for results that repeat. Each of the two runs in a process of its own with one thread; cold is the first call there,
with numba's compiling, warm the second. Texts that BERTopic leaves out count as one cluster; `*_filled` sends each to
the nearest topic.

Neighbours (20) and resolution (15), the defaults of `discover`, were chosen by `--choose`: the best mean of V and ARI
on banking77's train part, 40 texts an intent; CLINC150 shows them. banking77's test part shows both the defaults, under
`banking_v_by_default`, and what the same choice on 75 intents of CLINC150's train part gives, under `banking_v`: the
settings of each figure come from the other set.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.failure_modes_input import Labelled, banking, clinc, some_intents
from transforms.taxonomy.discovery import discover
from transforms.taxonomy.naming import name_clusters

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
GRID = [(neighbours, resolution) for neighbours in (15, 20, 25) for resolution in (10.0, 15.0, 20.0, 30.0)]
SEEDS = (11, 12, 13)

METRICS: Any = importlib.import_module("sklearn.metrics")

Labels = NDArray[np.int64]
Cut = Callable[[Labelled, int, Labels], Labels]
"""(texts, seed, order in which they come) to a label a text, in the order of the texts."""


def main() -> None:
    """Print a table, a row a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="20 intents of each set")
    parser.add_argument("--choose", action="store_true", help="print the grid that the settings were chosen from")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--part", choices=("ours", "bertopic"), help="only this one, in this process")
    args = parser.parse_args()
    if args.choose:
        choose()
        return
    if args.part:
        found = ours(args.quick) if args.part == "ours" else bertopic(args.quick)
        print(json.dumps(found))
        return
    found = measure(quick=args.quick)
    for key, value in found.items():
        print(f"{key:28} {value:.4f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(*, quick: bool = False) -> dict[str, float]:
    """Both parts, each in a process of its own, and the ratio of their CPU when warm."""
    found = {
        **in_own_process("benchmarks.failure_modes_clustering", "ours", quick),
        **in_own_process("benchmarks.failure_modes_clustering", "bertopic", quick),
    }
    found["cpu_ratio_bertopic"] = found["bertopic_cpu_warm_s"] / found["cpu_warm_s"]
    return found


def in_own_process(module: str, part: str, quick: bool, *more: str) -> dict[str, float]:
    """What `python -m module --part part` prints as JSON in its last line, run with one thread."""
    command = [sys.executable, "-m", module, "--part", part, *(["--quick"] if quick else []), *more]
    ran = subprocess.run(command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def ours(quick: bool) -> dict[str, float]:
    """The product's discovery."""
    cold, warm = _cost(_discover_and_name, quick)
    found = {**_quality(_discover, quick, ""), "cpu_cold_s": cold, "cpu_warm_s": warm}
    found["banking_v_by_default"], found["banking_ari_by_default"] = found["banking_v"], found["banking_ari"]
    neighbours, resolution, _, _ = max(_grid(_clinc_to_choose_by()), key=lambda row: row[2] + row[3])
    shown = _sets(quick)["banking"]
    keys = _keys(np.arange(len(shown.texts)))
    labels = discover(shown.vectors, keys=keys, neighbours=neighbours, resolution=resolution).labels
    found["banking_v"], found["banking_ari"] = _agreement(shown.intents, labels)
    return found


def bertopic(quick: bool) -> dict[str, float]:
    """BERTopic as its documentation says."""
    cold, warm = _cost(_bertopic, quick)
    return {**_quality(_bertopic, quick, "bertopic_"), "bertopic_cpu_cold_s": cold, "bertopic_cpu_warm_s": warm}


def _quality(cut: Cut, quick: bool, prefix: str) -> dict[str, float]:
    """V and ARI on both sets; the least ARI with another seed, and with another order, on either."""
    found: dict[str, float] = {}
    left_out: list[float] = []
    seeds: list[float] = []
    shuffles: list[float] = []
    for name, texts in _sets(quick).items():
        order = np.arange(len(texts.texts))
        labels = cut(texts, 7, order)
        found[f"{prefix}{name}_v"], found[f"{prefix}{name}_ari"] = _agreement(texts.intents, labels)
        filled = _filled(texts, labels)
        found[f"{prefix}{name}_v_filled"], found[f"{prefix}{name}_ari_filled"] = _agreement(texts.intents, filled)
        found[f"{prefix}{name}_clusters"] = float(labels.max() + 1)
        left_out.append(float((labels < 0).mean()))
        for seed in SEEDS:
            seeds.append(_agreement(labels.tolist(), cut(texts, seed, order))[1])
            mixed = np.random.default_rng(seed).permutation(len(order))
            shuffles.append(_agreement(labels.tolist(), cut(texts, 7, mixed))[1])
    return {
        **found,
        f"{prefix}unassigned_share": max(left_out),
        f"{prefix}seed_ari": min(seeds),
        f"{prefix}shuffle_ari": min(shuffles),
    }


def _cost(cut: Cut, quick: bool) -> tuple[float, float]:
    """CPU seconds of the first and of the second call on CLINC150's test part."""
    texts = _sets(quick)["clinc"]
    spent: list[float] = []
    for _ in range(2):
        began = time.process_time()
        cut(texts, 7, np.arange(len(texts.texts)))
        spent.append(time.process_time() - began)
    return spent[0], spent[1]


def _sets(quick: bool) -> dict[str, Labelled]:
    sets = {"clinc": clinc("test"), "banking": banking("test")}
    return {name: some_intents(texts, 20, 30, 1) for name, texts in sets.items()} if quick else sets


def _keys(order: Labels) -> list[str]:
    """Keys of the rows by which discovery puts them in this order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [f"{number:08}" for number in place.tolist()]


def _discover(texts: Labelled, seed: int, order: Labels) -> Labels:
    return discover(texts.vectors, keys=_keys(order), seed=seed).labels


def _discover_and_name(texts: Labelled, seed: int, order: Labels) -> Labels:
    labels = _discover(texts, seed, order)
    name_clusters(texts.texts, labels, texts.vectors)
    return labels


def _bertopic(texts: Labelled, seed: int, order: Labels) -> Labels:
    umap = importlib.import_module("umap").UMAP(
        n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", low_memory=False, random_state=seed, n_jobs=1
    )
    model = importlib.import_module("bertopic").BERTopic(umap_model=umap)
    topics, _ = model.fit_transform([texts.texts[row] for row in order.tolist()], texts.vectors[order])
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.array(topics)
    return labels


def _filled(texts: Labelled, labels: Labels) -> Labels:
    """The same, and what is in no cluster in the nearest."""
    count = int(labels.max()) + 1
    centroids = np.stack([texts.vectors[labels == label].mean(axis=0) for label in range(count)])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    return np.where(labels < 0, (texts.vectors @ centroids.T).argmax(axis=1), labels)


def _agreement(truth: Any, labels: Labels) -> tuple[float, float]:
    """V measure and adjusted Rand index."""
    return float(METRICS.v_measure_score(truth, labels)), float(METRICS.adjusted_rand_score(truth, labels))


def choose() -> None:
    """Print V and ARI by neighbours and resolution on the parts that settings are chosen on."""
    for name, texts in (("CLINC150, train", _clinc_to_choose_by()), ("banking77, train", _banking_to_choose_by())):
        for neighbours, resolution, v, ari in _grid(texts):
            print(f"{name:18} {neighbours:3} {resolution:5} {v:.3f} {ari:.3f} {(v + ari) / 2:.3f}")


def _grid(texts: Labelled) -> list[tuple[int, float, float, float]]:
    """(neighbours, resolution, V, ARI), one a setting."""
    keys = _keys(np.arange(len(texts.texts)))
    return [
        (
            neighbours,
            resolution,
            *_agreement(
                texts.intents,
                discover(texts.vectors, keys=keys, neighbours=neighbours, resolution=resolution).labels,
            ),
        )
        for neighbours, resolution in GRID
    ]


def _clinc_to_choose_by() -> Labelled:
    return some_intents(clinc("train"), 75, 40, 1)


def _banking_to_choose_by() -> Labelled:
    return some_intents(banking("train"), 77, 40, 1)


if __name__ == "__main__":
    main()
