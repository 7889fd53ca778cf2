"""Name clusters of texts by the terms that set them apart, with the text that is nearest to the middle of each.

Terms by class-based TF-IDF; names are those terms side by side, since a phrase would need a language model.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
from sklearn.feature_extraction.text import (  # pyright: ignore[reportMissingTypeStubs]
    ENGLISH_STOP_WORDS,
    CountVectorizer,
)

from text.normal_form import normal_form, preview
from transforms.taxonomy.centroids import Floats, unit

TERMS: Final = 10
NAMED_BY: Final = 3

SPOKEN_OF_EVERYWHERE: Final = frozenset(
    {"ai", "answer", "assistant", "model", "query", "response", "responses", "user"}
)
"""What nearly every comment on an assistant is about, so that it sets nothing apart."""

Labels = NDArray[np.int64]


class ModeName(NamedTuple):
    """A cluster in words. Indices are rows of the texts that were given."""

    label: int
    name: str
    terms: tuple[str, ...]
    """Up to 10, best first."""
    medoid: int
    """The row nearest to the centroid."""


def name_clusters(texts: Sequence[str], labels: Labels, vectors: NDArray[np.floating]) -> list[ModeName]:
    """One ModeName a label 0..k-1, in that order, from n texts, labels (n,) with -1 for none, and vectors (n, d).

    Names are unique. A cluster without telling terms is named by the beginning of its medoid.
    """
    count = int(labels.max(initial=-1)) + 1
    if count == 0:
        return []
    rows = unit(vectors)
    similar = rows @ _centroids(rows, labels, count).T
    terms = _terms([normal_form(text) for text in texts], labels, count)
    named: list[ModeName] = []
    taken: set[str] = set()
    for label in range(count):
        members = np.flatnonzero(labels == label)
        medoid = int(members[similar[members, label].argmax()])
        name = _name(terms[label], taken) or _distinct(preview(texts[medoid], 40), taken)
        taken.add(name)
        named.append(ModeName(label, name, tuple(terms[label]), medoid))
    return named


def _centroids(rows: Floats, labels: Labels, count: int) -> Floats:
    return unit(np.vstack([rows[labels == label].sum(axis=0) for label in range(count)]))


def _terms(forms: Sequence[str], labels: Labels, count: int) -> list[list[str]]:
    """The best terms of each cluster. Texts are counted, not occurrences, so that one long text names no cluster.

    Source: Grootendorst, BERTopic: neural topic modeling with a class-based TF-IDF procedure (2022), section 3.3.
    """
    stop = sorted(ENGLISH_STOP_WORDS | SPOKEN_OF_EVERYWHERE)
    counter: Any = CountVectorizer(ngram_range=(1, 2), stop_words=stop, token_pattern=r"[^\W\d_]{2,}", binary=True)
    try:
        counts = counter.fit_transform(forms)
    except ValueError:  # nothing but stop words
        return [[] for _ in range(count)]
    vocabulary: list[str] = counter.get_feature_names_out().tolist()
    members = np.flatnonzero(labels >= 0)
    matrix: Any = sparse
    of_cluster = matrix.csr_matrix((np.ones(len(members)), (labels[members], members)), shape=(count, len(labels)))
    having = (of_cluster @ counts).tocsr()
    sizes = np.bincount(labels[members], minlength=count)
    everywhere = np.asarray(counts.sum(axis=0)).ravel()
    rarity = np.log(1 + having.sum() / count / everywhere)
    best: list[list[str]] = []
    for label in range(count):
        row = having[label]
        shared = row.data >= min(2, sizes[label])
        columns, share = row.indices[shared], row.data[shared] / sizes[label]
        score = share * rarity[columns]
        ranked = sorted(zip(-score.round(9), (vocabulary[int(column)] for column in columns), strict=True))
        best.append(_without_overlap([term for _, term in ranked]))
    return best


def _without_overlap(ranked: Sequence[str]) -> list[str]:
    """The first 10 terms none of which repeats a word, or a form of a word, of one before it."""
    kept: list[str] = []
    for term in ranked:
        words = term.split()
        if not any(_alike(word, other) for word in words for earlier in kept for other in earlier.split()):
            kept.append(term)
        if len(kept) == TERMS:
            break
    return kept


def _alike(one: str, other: str) -> bool:
    """Whether two words look like forms of one, as "story" and "stories" do."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter[: max(4, len(shorter) - 2)])


def _name(terms: Sequence[str], taken: set[str]) -> str | None:
    """The three best terms, or as many more as it takes to differ from the names before; None where there are none."""
    for length in range(min(NAMED_BY, len(terms)), len(terms) + 1):
        name = " / ".join(terms[:length])
        if name and name not in taken:
            return name
    return None


def _distinct(name: str, taken: set[str]) -> str:
    """The name, with a number behind it where it is taken."""
    plain = re.sub(r"\s+", " ", name).strip() or "no words"
    number = 2
    unique = plain
    while unique in taken:
        unique = f"{plain} {number}"
        number += 1
    return unique
