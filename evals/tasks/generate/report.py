"""What came of generating: tasks, and for what could not be one, why."""

from collections import Counter
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from evals.tasks.task import Kind

FLOOR = 0.6
"""Share of mutants killed below which a task is dropped."""
GOOD = 0.8
"""Below this, a task says so."""


class Dropped(Exception):
    """A candidate can't be a task; says why, in words that are counted. What stands behind a colon is for this one."""


class Made(BaseModel):
    """A task that was made."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    kind: Kind
    units: tuple[str, ...]
    lines: int
    estimate: float
    fail_to_pass: int
    pass_to_pass: int
    hidden: int
    mutants_killed: int
    mutants: int
    pass_rate: float | None = None

    @property
    def weak(self) -> bool:
        """Its tests and hidden cases miss more wrong variants than they should."""
        return self.mutants > 0 and self.mutants_killed < GOOD * self.mutants


class Report(BaseModel):
    """All of a run over one repository."""

    model_config = ConfigDict(frozen=True)

    package: str
    version: str
    tasks: tuple[Made, ...] = ()
    tried: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    """Why -> candidates."""
    tests: int = 0
    """That pass, and were looked at."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """Why -> tests."""
    notes: tuple[str, ...] = ()
    baseline_seconds: float = 0.0
    seconds: float = 0.0
    """Baseline included."""

    @property
    def per_minute(self) -> float:
        """Valid tasks a minute, baseline included."""
        return 60 * len(self.tasks) / self.seconds if self.seconds else 0.0

    @property
    def killed(self) -> tuple[int, int]:
        """Mutants killed by the tasks' tests and hidden cases, of how many."""
        return sum(task.mutants_killed for task in self.tasks), sum(task.mutants for task in self.tasks)


class Tally(NamedTuple):
    """What several threads count together, each under the lock of who made it."""

    made: list[Made]
    dropped: "Counter[str]"
    bodies: "Counter[tuple[str, str]]"
    """How many tasks a body is part of."""
