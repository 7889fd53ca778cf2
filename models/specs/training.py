"""What a training run does: a method, its data, its budget, and what must come of it."""

from pydantic import BaseModel, ConfigDict

from models.feedback import Name
from models.roles import Role
from models.specs.base import Args, Spec


class Guard(BaseModel):
    """An eval that must not fall by more than `margin` (in the metric's own units)."""

    model_config = ConfigDict(frozen=True)

    eval_key: Name
    margin: float


class TrainingSpec(Spec):
    """Train a checkpoint. What it promises is decided by evals on the other side of the split."""

    method: Name
    role: Role
    args: Args
    base_checkpoint_id: Name | None = None
    budget_s: float
    """Wall clock of all attempts together."""
    must_improve: tuple[str, ...] = ()
    """Keys of evals."""
    must_not_fall: tuple[Guard, ...] = ()
