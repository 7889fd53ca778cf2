"""Made-up feedback with a verdict and a mode, and an embedder that needs no weights."""

import random
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.jobs.samples import Sample

OPENINGS = (
    "honestly",
    "well",
    "again",
    "this time",
    "for my task",
    "today",
    "in the end",
    "so far",
    "as usual",
    "sadly",
)
THINGS = (
    "the answer",
    "the reply",
    "its output",
    "the result",
    "that text",
    "this draft",
    "the second part",
    "the plan",
)
PRAISE = ("is exactly right", "was clear and useful", "helped a lot", "looks great", "saved me an hour")
BLAME = {
    "code_correctness": ("does not compile", "crashes on start", "misses an import", "fails two tests"),
    "communication": ("is far too long", "rambles on and on", "repeats itself", "drowns in jargon"),
    "factual_accuracy": ("is made up", "names a wrong date", "cites a book that never was", "gets the sum wrong"),
}


def sentences(n: int, seed: int = 0) -> list[Sample]:
    """About three in five are complaints; two samples share a conversation."""
    dice = random.Random(seed)
    samples: list[Sample] = []
    for number in range(n):
        mode = dice.choice(list(BLAME)) if dice.random() < 0.6 else None
        said = dice.choice(BLAME[mode] if mode else PRAISE)
        samples.append(
            Sample(
                f"s{number:04}",
                conversation_id=f"c{number // 2}",
                text=f"{dice.choice(OPENINGS)}, {dice.choice(THINGS)} {said} ({dice.randrange(1000)})",
                is_negative=mode is not None,
                mode_id=mode,
            )
        )
    return samples


class HashedWords:
    """Unit vectors (n, 16) of hashed words: quick, the same everywhere, and of little use."""

    model_id, dtype = "hashed-words-16", "float32"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.full((len(texts), 16), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                vectors[row, zlib.adler32(word.encode()) % 16] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
