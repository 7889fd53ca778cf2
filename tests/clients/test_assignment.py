"""Who gets which variant: the same everywhere, by weight, and in one experiment whatever another one says."""

import hashlib
from collections import Counter
from math import sqrt

import pytest

from flywheel_client import Share, assigned

TWO = (Share("A", 1), Share("B", 1))
UNITS = [f"person-{number}" for number in range(20_000)]


def test_a_unit_gets_what_the_hash_of_unit_and_salt_says() -> None:
    for unit in UNITS[:200]:
        place = int(hashlib.sha256(f"{unit}|tone".encode()).hexdigest()[:16], 16) / 2**64
        assert assigned(unit, "tone", TWO) == ("A" if place < 0.5 else "B")


def test_arms_get_their_weights() -> None:
    counts = Counter(assigned(unit, "weights", [Share("A", 3), Share("B", 1), Share("C", 0.5)]) for unit in UNITS)
    for name, share in (("A", 3 / 4.5), ("B", 1 / 4.5), ("C", 0.5 / 4.5)):
        assert abs(counts[name] / len(UNITS) - share) < 4 * sqrt(share * (1 - share) / len(UNITS))


@pytest.mark.parametrize("one", ["a", "exp-1", "2026-11"])
@pytest.mark.parametrize("other", ["l", "exp-2", "2026-12"])
def test_two_salts_are_independent(one: str, other: str) -> None:
    # DuckDB's hash(unit, salt) has pairs of salts, "a" and "l" among them, whose low bits agree for every unit.
    cells = Counter((assigned(unit, one, TWO), assigned(unit, other, TWO)) for unit in UNITS)
    expected = len(UNITS) / 4
    chi_square = sum((cells[a, b] - expected) ** 2 / expected for a in "AB" for b in "AB")
    assert chi_square < 16.27  # .999 of three degrees of freedom


def test_no_arms_are_said_so() -> None:
    with pytest.raises(ValueError, match="without arms"):
        assigned("person", "salt", [])
