"""What an eval measures, on which samples, with which scorer."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from models.feedback import Name
from models.roles import Role
from models.specs.base import Args, Spec


class ScorerSpec(BaseModel):
    """A scorer by name, with its arguments."""

    model_config = ConfigDict(frozen=True)

    name: Name
    args: Args


class Confirmation(BaseModel):
    """What a confirmation is planned to be, fixed before its samples are seen: see `stats/gate.py`."""

    model_config = ConfigDict(frozen=True)

    checkpoint_id: Name
    """The candidate."""
    champion_id: Name
    lineage: Name
    place: int
    bar: Literal["improves", "does_not_fall"]
    eval_key: Name
    """The live eval that these samples are fresh ones of."""
    difference: float
    """What the power is planned for."""
    power: float
    level: float
    margin: float = 0.0
    hack_margin: float | None = None
    """By how much lenient less strict may grow; None: the eval has one reading."""
    looks: tuple[int, ...]
    """Samples by each look, increasing."""
    miss: float
    drift: float
    hack_looks: tuple[int, ...] = ()
    hack_miss: float = 0.0
    hack_drift: float = 0.0

    @property
    def both(self) -> tuple[str, str]:
        """The two checkpoints that are compared."""
        return self.checkpoint_id, self.champion_id


class EvalSpec(Spec):
    """Score every checkpoint of a role on frozen samples that no training set may hold; of a confirmation, two."""

    role: Role
    scorer: ScorerSpec
    trials: int = 1
    """Attempts a sample."""
    confirms: Confirmation | None = None
    """None for a live eval."""

    def content(self) -> dict[str, Any]:
        """See `Spec.content`: what came later counts only where it is said, so that older ids stay what they are."""
        usual = {"trials": 1, "confirms": None}
        return {name: value for name, value in super().content().items() if usual.get(name, ...) != value}
