"""What the classifier sees beside a text's vector: words, pairs of words, and n-grams of letters inside words.

Vectors say topic more than fault. The n-grams of a text are the sum of those of its words, so that they are looked at
once a distinct word, however often it is said: a million short texts cost seconds where n-grams of the whole text cost
78. Vocabulary and weights come from the seeds alone, and words are taken in the order of the alphabet, so that a text's
sums do not change with the corpus or with the texts beside it.

Reads texts in normal form (`text.normal_form`).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
from sklearn.feature_extraction.text import CountVectorizer  # pyright: ignore[reportMissingTypeStubs]

from transforms.taxonomy.centroids import Floats

LETTERS: Final = (3, 5)
"""Of an n-gram inside a word, whose ends count as letters, too."""
LETTERS_READ: Final = 100
"""Of a word: what is longer is no word but a blob, or a language that is written without spaces."""
AT_ONCE: Final = 131_072
"""Texts whose words are looked at together."""

Sparse = Any
"""A scipy CSR matrix, for which there are no types."""
_sparse: Any = sparse


class _Read(NamedTuple):
    """n texts by their own m words, in the order of the alphabet, and by the known pairs."""

    words: list[str]
    by_word: Sparse
    """(n, m): term frequency, damped, times inverse document frequency."""
    by_pair: Sparse
    """(n, p)."""
    known: NDArray[np.int64]
    """(m,) place in the vocabulary, -1 for a new word."""
    length: Floats
    """(n,) of `by_word`, 1 where there is nothing."""
    known_length: Floats
    """(n,) of the known words and pairs, 1 where there is nothing."""


class Grams:
    """Words, pairs and letters that occur in the forms it is made from, with their weights.

    Columns are words, pairs, letters in this order. TF-IDF: Manning, Raghavan and Schütze, Introduction to Information
    Retrieval (2008), section 6.4.1; the logarithm of a count, idf smoothed. A word that no seed has is as rare as any,
    and is known by its letters.
    """

    def __init__(self, forms: Sequence[str]) -> None:
        codes, rows, self._words = _words(forms)
        self._place = {word: place for place, word in enumerate(self._words)}
        pairs, of = _pairs(codes.astype(np.int64), rows, len(self._words))
        self._pairs: NDArray[np.int64] = np.unique(pairs)
        self._texts = len(forms)
        self._word_idf = self._idf(codes, rows, len(self._words))
        self._pair_idf = self._idf(np.searchsorted(self._pairs, pairs), of, len(self._pairs))
        self._letters: Any = CountVectorizer(analyzer="char_wb", ngram_range=LETTERS, lowercase=False)
        counts: Any = self._letters.fit_transform([word[:LETTERS_READ] for word in self._words] or ["none"])
        having = np.bincount(counts.indices, minlength=counts.shape[1])
        self._letter_idf = np.log((1 + counts.shape[0]) / (1 + having)) + 1

    def rows(self, forms: Sequence[str]) -> Sparse:
        """(n, columns): what the texts have of each column. Words and pairs have length 1 together, or 0."""
        read = self._read(forms)
        in_vocabulary = _sparse.csr_matrix(
            (np.ones(int((read.known >= 0).sum())), (np.flatnonzero(read.known >= 0), read.known[read.known >= 0])),
            shape=(len(read.words), len(self._words)),
        )
        by_known = _sparse.diags(1 / read.known_length)
        by_all = _sparse.diags(1 / read.length)
        return _sparse.hstack(
            [
                by_known @ read.by_word @ in_vocabulary,
                by_known @ read.by_pair,
                by_all @ read.by_word @ self._letters_of(read.words),
            ],
            format="csr",
        )

    def scores(self, forms: Sequence[str], weights: Floats) -> Floats:
        """`rows(forms) @ weights`, (n, k) for weights (columns, k), at a word's cost once a distinct word."""
        parts = [self._scores(forms[start : start + AT_ONCE], weights) for start in range(0, len(forms), AT_ONCE)]
        return np.vstack(parts) if parts else np.zeros((0, weights.shape[1]))

    def _scores(self, forms: Sequence[str], weights: Floats) -> Floats:
        read = self._read(forms)
        on_words, on_pairs, on_letters = np.split(weights, [len(self._words), len(self._words) + len(self._pairs)])
        of_word = np.where((read.known >= 0)[:, None], on_words[read.known], 0.0) if len(read.words) else on_words[:0]
        known = read.by_word @ of_word + read.by_pair @ on_pairs
        spelt = read.by_word @ (self._letters_of(read.words) @ on_letters)
        return known / read.known_length[:, None] + spelt / read.length[:, None]

    def _letters_of(self, words: Sequence[str]) -> Sparse:
        """(m, letters), each row of length 1, or 0 where a word has no known letters."""
        if not words:
            return _sparse.csr_matrix((0, len(self._letter_idf)))
        counts: Any = self._letters.transform([word[:LETTERS_READ] for word in words]).astype(np.float64)
        counts.data = (1 + np.log(counts.data)) * self._letter_idf[counts.indices]
        return _sparse.diags(1 / _lengths(counts)) @ counts

    def _read(self, forms: Sequence[str]) -> _Read:
        codes, rows, words = _words(forms)
        known = np.array([self._place.get(word, -1) for word in words], dtype=np.int64)
        idf = np.where(known >= 0, self._word_idf[known], np.log(1 + self._texts) + 1) if words else np.zeros(0)
        by_word = _damped(rows, codes, (len(forms), len(words)), idf)
        # A pair of which one word is new is no known pair: -1 leads to no key.
        pairs, of = _pairs(known[codes] if words else np.zeros(0, np.int64), rows, len(self._words))
        places = np.minimum(np.searchsorted(self._pairs, pairs), max(len(self._pairs) - 1, 0))
        found = self._pairs[places] == pairs if len(self._pairs) else np.zeros(len(pairs), np.bool_)
        by_pair = _damped(of[found], places[found], (len(forms), len(self._pairs)), self._pair_idf)
        only_known = by_word.copy()
        only_known.data = np.where(known[only_known.indices] >= 0, only_known.data, 0.0) if words else only_known.data
        together = np.sqrt(_squares(only_known) + _squares(by_pair))
        return _Read(words, by_word, by_pair, known, _lengths(by_word), np.where(together > 0, together, 1.0))

    def _idf(self, columns: NDArray[np.int64], rows: NDArray[np.int64], width: int) -> Floats:
        having = np.bincount(np.unique(np.stack([rows, columns]), axis=1)[1], minlength=width)
        return np.log((1 + self._texts) / (1 + having)) + 1


def _words(forms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """For each token of the texts its word and its text, and the words in the order of the alphabet.

    One-letter words count: "I" and "a" tell a person's voice from a judge's.
    """
    tokens = pl.Series(forms, dtype=pl.String).str.extract_all(r"\w+")
    rows = np.repeat(np.arange(len(forms)), tokens.list.len().to_numpy())
    said = tokens.explode().drop_nulls()
    words = said.unique().sort()
    codes = said.cast(pl.Enum(words)).to_physical().to_numpy().astype(np.int64)
    return codes, rows, words.to_list()


def _pairs(
    known: NDArray[np.int64], rows: NDArray[np.int64], words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys of the pairs of neighbours whose words are both known, and the text of each."""
    both = (rows[:-1] == rows[1:]) & (known[:-1] >= 0) & (known[1:] >= 0)
    return (known[:-1] * words + known[1:])[both], rows[:-1][both]


def _damped(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int], idf: Floats) -> Sparse:
    matrix = _sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    matrix.sum_duplicates()  # which puts the columns of a row in order, too
    matrix.data = (1 + np.log(matrix.data)) * idf[matrix.indices]
    return matrix


def _squares(matrix: Sparse) -> Floats:
    """(n,) sums of squares by row, in the order of its columns."""
    squared = matrix.copy()
    squared.data = squared.data**2
    return squared @ np.ones(matrix.shape[1])


def _lengths(matrix: Sparse) -> Floats:
    lengths = np.sqrt(_squares(matrix))
    return np.where(lengths > 0, lengths, 1.0)
