"""Which variant a unit gets: the same one everywhere and always, and in one experiment independent of another.

Left out: who is asked at all. A product that assigns by itself only logs exposures.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple


class Share(NamedTuple):
    """An arm and its weight."""

    name: str
    weight: float


def assigned(unit: str, salt: str, arms: Sequence[Share]) -> str:
    """The arm of `unit`: its place in [0, 1) against the arms' weights in their order. Raises ValueError without arms.

    SHA-256 of the unit, a bar and the salt. A hash that takes the salt as a second argument may leave low bits of two
    experiments dependent, as DuckDB's `hash(unit, salt)` does: their arms would then be confounded.
    """
    if not arms:
        raise ValueError("an experiment without arms assigns nobody")
    at = place(unit, salt) * sum(arm.weight for arm in arms)
    for arm in arms[:-1]:
        at -= arm.weight
        if at < 0:
            return arm.name
    return arms[-1].name


def place(unit: str, salt: str) -> float:
    """Where `unit` stands in [0, 1), by 53 bits."""
    digest = hashlib.sha256(f"{unit}|{salt}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53
