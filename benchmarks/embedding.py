"""The two embeddings side by side: texts per CPU-second, and accuracy on CLINC150 with vectors of each.

    python -m benchmarks.embedding [--json FILE] [--quick]

texts_per_cpu_s   distinct texts of CLINC150's test part (1,000; 200 with --quick), embedded anew with the weights
                  loaded; CPU seconds of all threads of this process
accuracy_50shot   share of its 4,500 in-scope texts whose likeliest intent is right, by the classifier that
                  `flywheel build` fits: 50 examples an intent and the out-of-scope texts of training and validation as
                  `other`; the mean of 2 draws (1 with --quick), drawn as benchmarks.failure_modes_assignment does

The transformer is in the dtype that this machine chooses. Leaves out distilling the static table, which is done once a
machine and kept in the user's cache.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.failure_modes_assignment import CLINC, ONE_INTENT, WANTED
from benchmarks.failure_modes_input import vectors_of
from text.embedding import Embedder, load_embedder
from text.normal_form import normal_form
from text.static_embedding import CHOICE
from transforms.taxonomy.examples import OTHER
from transforms.taxonomy.fit import fit

SHOTS: Final = 50
DRAWS: Final = 2


def measure(quick: bool = False) -> dict[str, dict[str, float | str]]:
    """The figures by embedding."""
    static = load_embedder(CHOICE)
    found: dict[str, dict[str, float | str]] = {}
    for name, embedder in (("transformer", load_embedder(str(static.folder))), ("static", static)):
        found[name] = {
            "model": f"{embedder.model_id}-{embedder.dtype}",
            "texts_per_cpu_s": round(speed(embedder, 200 if quick else 1000)),
            "accuracy_50shot": round(
                float(np.mean([accuracy(embedder, draw) for draw in range(1 if quick else DRAWS)])), 4
            ),
        }
    return found


def speed(embedder: Embedder, count: int) -> float:
    """Texts per CPU-second."""
    texts = sorted(set(part("test")[0]))[:count]
    embedder.embed(texts[:32])
    started = time.process_time()
    embedder.embed(texts)
    return len(texts) / (time.process_time() - started)


def accuracy(embedder: Embedder, draw: int) -> float:
    """Of one draw of 50 shots."""
    forms, intents = part("train")
    of = np.array(intents)
    randomness = np.random.default_rng(draw)
    rows: list[int] = []
    for intent in sorted(set(intents)):
        rows += randomness.permutation(np.flatnonzero(of == intent))[:SHOTS].tolist()
    off_topic = part("oos_train")[0] + part("oos_val")[0]
    learnt = [forms[row] for row in rows] + off_topic
    modes = [intents[row] for row in rows] + [OTHER] * len(off_topic)
    classifier = fit(learnt, modes, vectors_of(learnt, embedder), precision=WANTED, expected=ONE_INTENT)
    shown, truth = part("test")
    said = classifier.assign(shown, vectors_of(shown, embedder))
    return float((np.array(said.best_mode) == np.array(truth)).mean())


def part(name: str) -> tuple[list[str], list[str]]:
    """Normal forms and intents of a part of CLINC150."""
    rows: list[tuple[str, str]] = json.loads(CLINC.read_text(encoding="utf-8"))[name]
    return [normal_form(text) for text, _ in rows], [intent for _, intent in rows]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--json", type=Path, help="also write the figures there")
    parser.add_argument("--quick", action="store_true", help="one draw, and fewer texts for speed")
    args = parser.parse_args()
    found = measure(args.quick)
    print(f"{'':12}{'texts per CPU-s':>16}{'accuracy, 50 shots':>20}  model")
    for name, of in found.items():
        print(f"{name:12}{of['texts_per_cpu_s']:>16,}{of['accuracy_50shot']:>20.3f}  {of['model']}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
