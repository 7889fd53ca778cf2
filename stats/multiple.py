"""Several tests at once: p-values adjusted so that each may still be held against alpha."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: the chance of any false positive is at most alpha, however they depend.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(_ascending(p_values)):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: of what is called an effect a share of alpha at most is none, on average.

    For tests that are independent or move together. Source: Benjamini and Hochberg (1995), Controlling the false
    discovery rate; Benjamini and Yekutieli (2001) for positive dependence.
    """
    adjusted, lowest = [0.0] * len(p_values), 1.0
    for rank, place in reversed(list(enumerate(_ascending(p_values), start=1))):
        lowest = min(lowest, p_values[place] * len(p_values) / rank)
        adjusted[place] = lowest
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    """Places by p-value. Raises ValueError for what is no p-value, a nan above all: it would sort anywhere."""
    for value in p_values:
        if not 0 <= value <= 1:
            raise ValueError(f"{value} is not a p-value")
    return sorted(range(len(p_values)), key=p_values.__getitem__)
