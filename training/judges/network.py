"""The network of the trained judge: a frozen sentence embedding beside hashed words and pairs of words, and two heads.

The embedding carries the topic, the words carry the kind of complaint; neither alone does. Left out: fine-tuning the
embedding, characters, attention over words.
"""

import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import regex
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from text.normal_form import normal_form

TOKEN = regex.compile(r"[\p{L}\p{N}]+(?:['’][\p{L}]+)*|[^\s\p{L}\p{N}]")
MOST_TOKENS = 512
EMBEDDED_AT_ONCE = 1024


class Embedder(Protocol):
    """What makes the frozen vectors: `text.embedding.Embedder`, or another with the same face."""

    @property
    def model_id(self) -> str:
        """Name and digest of the weights."""
        ...

    @property
    def dtype(self) -> str:
        """In which numbers it computes: part of what a vector is."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d), rows of length 1."""
        ...


class Shape(NamedTuple):
    """What a network is built from; it stands in the checkpoint's config."""

    embedding: int
    buckets: int
    width: int
    hidden: int
    modes: int
    """At least 1: where no mode is known its logit is not asked."""
    dropout: float


class Features(NamedTuple):
    """Texts as numbers: vectors (n, embedding), and for each text the buckets of its words, repeats included."""

    vectors: Tensor
    buckets: tuple[Tensor, ...]

    def rows(self, rows: Sequence[int]) -> "Features":
        """The same for some of the texts."""
        return Features(self.vectors[list(rows)], tuple(self.buckets[row] for row in rows))


def featurise(
    texts: Sequence[str], embedder: Embedder, buckets: int, tell: Callable[[int], None] = lambda done: None
) -> Features:
    """Features of `texts`, by their normal form, so that two spellings of the same text get the same.

    `tell` hears how many are embedded, and may raise to end it.
    """
    forms = [normal_form(text) for text in texts]
    parts: list[NDArray[np.float32]] = []
    for start in range(0, len(forms), EMBEDDED_AT_ONCE):
        parts.append(embedder.embed(forms[start : start + EMBEDDED_AT_ONCE]))
        tell(min(start + EMBEDDED_AT_ONCE, len(forms)))
    vectors = torch.from_numpy(np.concatenate(parts))  # pyright: ignore[reportUnknownMemberType]
    return Features(vectors, tuple(torch.tensor(hashed_words(form, buckets)) for form in forms))


def hashed_words(form: str, buckets: int) -> list[int]:
    """The bucket of every word and every pair of neighbours; punctuation is a word. Never empty."""
    words = ["^", *TOKEN.findall(form)[:MOST_TOKENS], "$"]
    grams = words + [f"{left} {right}" for left, right in pairwise(words)]
    return [zlib.crc32(gram.encode()) % buckets for gram in grams]


class Network(nn.Module):
    """(n,) logits of dissatisfaction and (n, modes) logits of the failure mode."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.EmbeddingBag(shape.buckets, shape.width, mode="sum")
        nn.init.normal_(self.words.weight, std=0.1)
        self.hidden = nn.Linear(shape.embedding + shape.width, shape.hidden)
        self.dropout = nn.Dropout(shape.dropout)
        self.negative = nn.Linear(shape.hidden, 1)
        self.mode = nn.Linear(shape.hidden, shape.modes)

    def forward(self, features: Features) -> tuple[Tensor, Tensor]:
        """Both heads over one hidden layer."""
        lengths = torch.tensor([len(buckets) for buckets in features.buckets])
        starts = lengths.cumsum(0) - lengths
        words = self.words(torch.cat(features.buckets), starts)  # (n, width)
        words = words / lengths.sqrt().unsqueeze(1)  # a long text says more, but not in proportion
        vectors = features.vectors * self.shape.embedding**0.5  # unit length -> unit variance
        joined = self.dropout(torch.cat([vectors, words], dim=1))
        hidden = self.dropout(torch.relu(self.hidden(joined)))
        return self.negative(hidden).squeeze(1), self.mode(hidden)
