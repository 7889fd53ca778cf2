"""Draws that anybody can repeat: equal keys give equal draws, on every machine and in every version of Python."""

import random
from collections.abc import Sequence
from typing import TypeVar

from models.ids import canonical_json

T = TypeVar("T")

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which read like digits."""


class Draw:
    """A row of draws that `key` (JSON scalars) decides.

    Only `Random.random` is used: what `choice` and `shuffle` make of it may change between versions.
    """

    def __init__(self, *key: str | float | None) -> None:
        self._random = random.Random(canonical_json(list(key)))

    def chance(self, probability: float) -> bool:
        """True with `probability`."""
        return self._random.random() < probability

    def below(self, n: int) -> int:
        """0 to n - 1."""
        return int(self._random.random() * n)

    def between(self, low: int, high: int) -> int:
        """`low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], n: int) -> list[T]:
        """`n` different places of `options`, in random order; all of them where there are no more."""
        left = list(options)
        return [left.pop(self.below(len(left))) for _ in range(min(n, len(left)))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All of `options`, in random order."""
        return self.some(options, len(options))

    def code(self, letters: int = 2, digits: int = 4) -> str:
        """Such as `KX-4071`."""
        front = "".join(self.pick(LETTERS) for _ in range(letters))
        return f"{front}-{self.below(10**digits):0{digits}d}"

    def different_codes(self, n: int, letters: int = 2, digits: int = 4) -> list[str]:
        """`n` codes, no two equal."""
        found: dict[str, None] = {}
        while len(found) < n:
            found[self.code(letters, digits)] = None
        return list(found)
