"""What the classifier sees beside a text's vector: word and character n-grams, as vectors say topic more than fault.

Vocabulary and weights come from the seeds alone, so that a text's features do not change as the corpus grows. Counting
is apart from weighing, since the folds of a cross-validation count once and weigh anew.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
from sklearn.feature_extraction.text import CountVectorizer  # pyright: ignore[reportMissingTypeStubs]

from text.normal_form import normal_form
from transforms.taxonomy.centroids import Floats

WORD_GRAMS: Final = (1, 2)
CHARACTER_GRAMS: Final = (2, 5)
CHARACTERS_READ: Final = 400
"""Of a text for its character n-grams, which cost most: faults are named early, and words and vector see all of it."""

Sparse = Any
"""A scipy CSR matrix, for which there are no types."""


class GramCounter:
    """Counts the n-grams that occur in the texts it was made from."""

    def __init__(self, texts: Sequence[str]) -> None:
        # One-letter words count: "I" and "a" tell a person's voice from a judge's.
        self._words: Any = CountVectorizer(ngram_range=WORD_GRAMS, token_pattern=r"\w+", lowercase=False)
        self._characters: Any = CountVectorizer(analyzer="char", ngram_range=CHARACTER_GRAMS, lowercase=False)
        forms = [normal_form(text) for text in texts]
        self._words.fit(forms)
        self._characters.fit([form[:CHARACTERS_READ] for form in forms])

    def count(self, texts: Sequence[str]) -> tuple[Sparse, Sparse]:
        """Counts of words (n, w) and of characters (n, c)."""
        forms = [normal_form(text) for text in texts]
        return self._words.transform(forms), self._characters.transform([form[:CHARACTERS_READ] for form in forms])


class GramWeights:
    """TF-IDF: weights of n-grams by how few of the texts have them, 0 for those that none has.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), section 6.4.1; idf smoothed.
    """

    def __init__(self, counts: tuple[Sparse, Sparse]) -> None:
        self._idf: list[Floats] = []
        for block in counts:
            having = np.bincount(block.indices, minlength=block.shape[1])
            idf = np.log((1 + block.shape[0]) / (1 + having)) + 1
            self._idf.append(np.where(having > 0, idf, 0.0))

    def weigh(self, counts: tuple[Sparse, Sparse]) -> Sparse:
        """(n, w + c) sparse: both blocks of a row have length 1, or 0 where it has no known n-gram."""
        blocks: list[Sparse] = []
        for block, idf in zip(counts, self._idf, strict=True):
            weighed: Sparse = block.astype(np.float64)
            weighed.data = (1 + np.log(weighed.data)) * idf[weighed.indices]
            lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
            weighed.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(weighed.indptr))
            blocks.append(weighed)
        stacked: Any = sparse
        return stacked.hstack(blocks, format="csr")
