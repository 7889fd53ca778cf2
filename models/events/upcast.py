"""Old versions become new ones, raw dict to raw dict, before validation. Each step stands beside its event."""

from collections.abc import Callable

from models.events import thumb
from models.events.base import Json

STEPS: dict[str, tuple[str, Callable[[Json], Json]]] = {
    "feedback.thumb_given.v1": ("feedback.thumb_given.v2", thumb.upcast_v1),
}
"""Old type -> (next type, how its data becomes the next one's)."""


def upcast(type_: str, data: Json) -> tuple[str, Json]:
    """Apply steps until the newest version; types without a step come back as they are. Raises what a step raises."""
    while type_ in STEPS:
        type_, step = STEPS[type_]
        data = step(data)
    return type_, data
