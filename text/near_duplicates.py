"""Which texts are nearly the same: MinHash bands over the character 4-grams of the normal form.

Gives numbers to compare, in SQL too: callers count equal bands, band by band. Word order matters only within four
characters, and meaning not at all.

Source: Broder, On the resemblance and containment of documents (1997); bands as in Leskovec, Rajaraman and Ullman,
Mining of Massive Datasets, section 3.4; one permutation is a multiply-shift hash of mixed 4-grams (Dietzfelbinger
and others 1997).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text.normal_form import normal_form

GRAM: Final = 4
BANDS: Final = 32
ROWS: Final = 4

NEAR_DUPLICATE_BANDS: Final = 13
"""Equal bands, out of 32, that stand for a Jaccard similarity of .8 or more.

A band of 4 permutations is equal with probability J^4, so the count is binomial (32, J^4), and 13 is its median at
J = .8. So many or more are equal for 3% of pairs at J = .7, 58% at .8, 93% at .85 and 99.9% at .9."""

_GRAMS_AT_ONCE: Final = 1 << 15
_HALF: Final = np.uint64(32)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele, Lea and Flood 2014): each input bit sways every output bit."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


_MULTIPLIERS: Final = _mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64)) | np.uint64(1)


def _grams(text: str) -> NDArray[np.uint64]:
    """(g,) hashes, one per 4-gram of the normal form, with repeats. A shorter text is one gram, filled with zeros."""
    letters = np.frombuffer(normal_form(text).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    if len(letters) < GRAM:
        letters = np.pad(letters, (0, GRAM - len(letters)))
    first = letters[:-3] | letters[1:-2] << _HALF
    second = letters[2:-1] | letters[3:] << _HALF
    return _mixed(_mixed(first) ^ second)


def _chunks(texts: Sequence[str]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp]]]:
    """The grams of whole texts laid end to end, with where each text starts; few enough to stay in the cache."""
    grams: list[NDArray[np.uint64]] = []
    starts: list[int] = []
    size = 0
    for text in texts:
        starts.append(size)
        grams.append(_grams(text))
        size += len(grams[-1])
        if size >= _GRAMS_AT_ONCE:
            yield np.concatenate(grams), np.array(starts, dtype=np.intp)
            grams, starts, size = [], [], 0
    if grams:
        yield np.concatenate(grams), np.array(starts, dtype=np.intp)


def band_hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """(n, 32) hashes: a band of two texts is equal with probability J^4, J the Jaccard similarity of their 4-grams.

    The same text gives the same row on every machine, whatever stands beside it.
    """
    bands = np.empty((len(texts), BANDS), dtype=np.uint64)
    row = 0
    for grams, starts in _chunks(texts):
        minima = np.empty((len(starts), BANDS * ROWS), dtype=np.uint64)
        for column, multiplier in enumerate(_MULTIPLIERS):
            # The low bits of a product depend on few bits of the gram; the high half depends on all.
            minima[:, column] = np.minimum.reduceat((grams * multiplier) >> _HALF, starts)
        folded = np.zeros((len(starts), BANDS), dtype=np.uint64)
        for place in range(ROWS):
            folded = _mixed(folded ^ (minima[:, place::ROWS] + np.uint64(place + 1)))
        bands[row : row + len(starts)] = folded
        row += len(starts)
    return bands


def jaccard(one: str, other: str) -> float:
    """Shared share of the character 4-grams of two texts, 0 to 1; what the bands estimate."""
    left, right = np.unique(_grams(one)), np.unique(_grams(other))
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)


def leaders(bands: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each of n texts, in their order, the row of the earliest leader that it is nearly the same as, or its own.

    A text is a leader if it is nearly the same as no leader before it. So who leads never changes by what comes later,
    and no chain of small differences joins two texts that are not alike. `bands` as of `band_hashes` (n, 32); takes
    memory for texts that may have a near-duplicate at all, and about as long as they are many.
    """
    repeated = np.zeros(len(bands), dtype=np.int64)
    for band in bands.T:
        order = np.argsort(band, kind="stable")
        equal = band[order[1:]] == band[order[:-1]]
        twice = np.zeros(len(bands), dtype=np.bool_)
        twice[order[1:][equal]] = True
        twice[order[:-1][equal]] = True
        repeated += twice
    leader = np.arange(len(bands), dtype=np.int64)
    holders: list[dict[int, list[int]]] = [{} for _ in range(BANDS)]
    for row in np.flatnonzero(repeated >= NEAR_DUPLICATE_BANDS).tolist():
        own: list[int] = bands[row].tolist()
        held = [holder.get(band, ()) for holder, band in zip(holders, own, strict=True)]
        shared = Counter(chain.from_iterable(held))
        alike = [other for other, count in shared.items() if count >= NEAR_DUPLICATE_BANDS]
        if alike:
            leader[row] = min(alike)
            continue
        for holder, band in zip(holders, own, strict=True):
            holder.setdefault(band, []).append(row)
    return leader
