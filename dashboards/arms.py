"""The arms of an experiment: who was to come into each, who came, and what an arm has lost at least. Pure.

Whether the split is chance is the sample ratio test's to say, which the marts carry out.
"""

import json
from typing import Any, NamedTuple, cast


class Arm(NamedTuple):
    """One variant."""

    name: str
    checkpoint_id: str | None
    planned: float
    """Share of the units that it was to have."""
    units: int
    share: float | None
    """Share that it has; None where nobody came."""
    lost: float | None
    """Share of its exposures that are missing at least: if the arm that has most for its plan had lost none."""


def arms(variants: str, units: dict[str, int]) -> list[Arm]:
    """The arms in the order of the experiment. `variants` is JSON, a list of {name, weight, checkpoint_id}.

    An arm that is not in `units` has none.
    """
    planned = cast(list[dict[str, Any]], json.loads(variants))
    weights = sum(float(arm["weight"]) for arm in planned) or 1.0
    total = sum(units.get(str(arm["name"]), 0) for arm in planned)
    filled = {str(arm["name"]): units.get(str(arm["name"]), 0) / (float(arm["weight"]) / weights) for arm in planned}
    fullest = max(filled.values(), default=0.0)
    return [
        Arm(
            name=(name := str(arm["name"])),
            checkpoint_id=arm.get("checkpoint_id"),
            planned=float(arm["weight"]) / weights,
            units=units.get(name, 0),
            share=units.get(name, 0) / total if total else None,
            lost=1 - filled[name] / fullest if fullest else None,
        )
        for arm in planned
    ]
