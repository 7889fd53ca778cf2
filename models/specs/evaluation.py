"""What an eval measures, on which samples, with which scorer."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from models.feedback import Name
from models.roles import Role
from models.specs.base import Args, Spec


class ScorerSpec(BaseModel):
    """A scorer by name, with its arguments."""

    model_config = ConfigDict(frozen=True)

    name: Name
    args: Args


class EvalSpec(Spec):
    """Score every checkpoint of a role on frozen samples that no training set may hold."""

    role: Role
    scorer: ScorerSpec
    trials: int = 1
    """Attempts a sample."""

    def content(self) -> dict[str, Any]:
        """See `Spec.content`: what came later counts only where it is said, so that older ids stay what they are."""
        return {name: value for name, value in super().content().items() if name != "trials" or value != 1}
