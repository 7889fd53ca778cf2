"""How error is spent along a lineage: the candidates that try, one after another, to replace one champion.

Confirmation j of a lineage may err with chance `level(j)`, and all of them together with chance `error`, however many
come: level(j) is error / (j (j + 1)), which is 1 / (j + 1) of what is left before it. A promotion ends the lineage; the
next starts with a new budget (`docs/decisions/0020-promotion.md`).

A place is taken before anything is seen that its samples have luck in common with: before the confirmation, where
fresh samples lie in clusters that no look has seen; before the screen, where they lie in the live set's.
"""

from typing import Final

ERROR: Final = 0.05
"""One-sided, of a lineage: the chance that any candidate that is no better, or breaks a guardrail, is promoted."""


def level(place: int, error: float = ERROR) -> float:
    """What the confirmation at `place` (from 1) may spend. Raises ValueError for a place below 1.

    Source: Lan and DeMets (1983) for spending by a fixed rule; Tian and Ramdas (2021), Online control of the familywise
    error rate, section 2, for a sequence of hypotheses without an end.
    """
    if place < 1:
        raise ValueError(f"place {place}: the first confirmation of a lineage is at 1")
    return error / (place * (place + 1))


def spent(place: int, error: float = ERROR) -> float:
    """What a lineage has spent once the confirmation at `place` is opened; 0 at 0: none was."""
    return error * place / (place + 1)
