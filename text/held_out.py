"""Which texts hold something of texts that are held out: word for word, nearly, a run of 13 words, or a canary.

Of each row the strongest finding is told, once. Words are what stands between spaces and signs in the normal form; of
scripts that put no spaces each letter is a word. Left out: paraphrase and translation, which no comparison of letters
sees.

Source: Brown et al. (2020), Language models are few-shot learners, appendix C (13-grams, and those that stand in many
documents left aside); canaries as in Srivastava et al. (2022), Beyond the imitation game.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from text.near_duplicates import NEAR_DUPLICATE_BANDS, band_hashes, jaccard
from text.normal_form import normal_form, text_hash

WORDS: Final = 13
"""So many words in a row that two texts share are no accident."""
COMMON: Final = 3
"""A run of words that stands in more held-out samples than this is their form, not their content."""
LENGTHS: Final = (0.7, 1.43)
"""Of two texts whose 4-grams agree to .8 or so, how long one is beside the other. Others can't be near-duplicates."""

_ROWS_AT_ONCE: Final = 2000
_SPACED: Final = regex.compile(r"\w+")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_MIXED: Final = regex.compile(rf"{_UNSPACED.pattern}|(?:(?!{_UNSPACED.pattern})\w)+")

Kind = Literal["canary", "exact", "near", "words"]
Hashes = NDArray[np.uint64]


class Held(NamedTuple):
    """A held-out sample: what must not be trained on."""

    name: str
    texts: tuple[str, ...]
    canary: str | None = None


class Match(NamedTuple):
    """A row that holds something of a held-out sample."""

    row: str
    held: str
    kind: Kind
    share: float
    """How much: of `near` the Jaccard similarity of 4-grams, of `words` the share of the sample's runs of 13 words that
    the row has; else 1."""


class HeldOut:
    """Held-out samples, ready to be compared with. Memory grows with their words, not with what is compared."""

    def __init__(self, held: Sequence[Held]) -> None:
        self._names = [each.name for each in held]
        self._canaries = {each.canary: each.name for each in reversed(held) if each.canary}
        self._texts = [(place, text) for place, each in enumerate(held) for text in each.texts if normal_form(text)]
        self._exact: dict[str, int] = {}
        for place, text in self._texts:
            self._exact.setdefault(text_hash(text), place)
        self._bands = band_hashes([text for _, text in self._texts])
        self._lengths = np.array([len(normal_form(text)) for _, text in self._texts], dtype=np.int64)
        self._index_runs()

    def matches(self, rows: Iterable[tuple[str, Sequence[str]]]) -> list[Match]:
        """The rows, each a name and its texts, that hold something held out; in their order, each once."""
        found: list[Match] = []
        for part in _parts(rows):
            found += self._of_part(part)
        return found

    def _index_runs(self) -> None:
        """Runs of words, sorted, each with a sample that has it; and how many each sample has."""
        runs: list[Hashes] = []
        owners: list[NDArray[np.int64]] = []
        for place, texts in groupby(self._texts, key=lambda each: each[0]):
            own = np.unique(_runs([text for _, text in texts])[0])
            runs.append(own)
            owners.append(np.full(len(own), place, dtype=np.int64))
        every = np.concatenate([np.empty(0, dtype=np.uint64), *runs])
        owner = np.concatenate([np.empty(0, dtype=np.int64), *owners])
        values, first, counts = np.unique(every, return_index=True, return_counts=True)
        telling = counts <= COMMON
        self._runs: Hashes = values[telling]
        self._run_owner: NDArray[np.int64] = owner[first[telling]]
        self._run_count = Counter[int](owner.tolist())

    def _of_part(self, part: list[tuple[str, Sequence[str]]]) -> Iterator[Match]:
        flat = [(row, text) for row, (_, texts) in enumerate(part) for text in texts if text]
        found: dict[int, Match] = {}
        if self._canaries:
            for row, text in flat:
                for canary, name in self._canaries.items():
                    if row not in found and canary in text:
                        found[row] = Match(part[row][0], name, "canary", 1.0)
        for row, text in flat:
            if row not in found and (place := self._exact.get(text_hash(text))) is not None:
                found[row] = Match(part[row][0], self._names[place], "exact", 1.0)
        rest = [(row, text) for row, text in flat if row not in found]
        for row, place, share in self._near([text for _, text in rest]):
            found.setdefault(rest[row][0], Match(part[rest[row][0]][0], self._names[place], "near", share))
        for row, place, share in self._sharing_runs([text for _, text in rest]):
            found.setdefault(rest[row][0], Match(part[rest[row][0]][0], self._names[place], "words", share))
        return (found[row] for row in sorted(found))

    def _near(self, texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
        """(text, sample, similarity) of texts that are nearly the same as one that is held out."""
        if not self._texts:
            return
        shortest, longest = self._lengths.min() * LENGTHS[0], self._lengths.max() * LENGTHS[1]
        chosen = [place for place, text in enumerate(texts) if shortest <= len(text) <= longest]
        bands = band_hashes([texts[place] for place in chosen])
        alike = np.zeros(len(chosen), dtype=np.int64)
        for number in range(bands.shape[1]):
            alike += np.isin(bands[:, number], self._bands[:, number])
        for row in np.flatnonzero(alike >= NEAR_DUPLICATE_BANDS).tolist():
            equal = (self._bands == bands[row]).sum(axis=1)
            best = int(equal.argmax())
            if equal[best] >= NEAR_DUPLICATE_BANDS:
                place, held = self._texts[best]
                yield chosen[row], place, jaccard(texts[chosen[row]], held)

    def _sharing_runs(self, texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
        """(text, sample, share) of texts that share a run of words with one that is held out."""
        if not len(self._runs):
            return
        runs, of_text = _runs(texts)
        places = np.minimum(np.searchsorted(self._runs, runs), len(self._runs) - 1)
        hits = self._runs[places] == runs
        shared: dict[int, Counter[int]] = {}
        for text, run in {*zip(of_text[hits].tolist(), places[hits].tolist(), strict=True)}:
            shared.setdefault(text, Counter())[int(self._run_owner[run])] += 1
        for text, counts in sorted(shared.items()):
            place, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
            yield text, place, count / self._run_count[place]


def _parts(rows: Iterable[tuple[str, Sequence[str]]]) -> Iterator[list[tuple[str, Sequence[str]]]]:
    part: list[tuple[str, Sequence[str]]] = []
    for row in rows:
        part.append(row)
        if len(part) == _ROWS_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def words(text: str) -> list[str]:
    """The words of the normal form."""
    plain = normal_form(text)
    if plain.isascii() or not _UNSPACED.search(plain):
        return _SPACED.findall(plain)
    return _MIXED.findall(plain)


def _runs(texts: Sequence[str]) -> tuple[Hashes, NDArray[np.int64]]:
    """A hash for each run of WORDS words in each text, with the place of its text; good within one process."""
    hashed = [list(map(hash, words(text))) for text in texts]
    sizes = np.array([len(each) for each in hashed], dtype=np.int64)
    flat = np.array([each for own in hashed for each in own], dtype=np.int64).view(np.uint64)
    if len(flat) < WORDS:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    owner = np.repeat(np.arange(len(texts)), sizes)
    whole = owner[WORDS - 1 :] == owner[: len(owner) - WORDS + 1]
    sums = np.zeros(len(flat) - WORDS + 1, dtype=np.uint64)
    for step in range(WORDS):
        sums = (sums + flat[step : len(flat) - WORDS + 1 + step]) * np.uint64(0x9E3779B97F4A7C15)
    return sums[whole], owner[: len(whole)][whole]
