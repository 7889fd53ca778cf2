"""Tasks that tests verify: what was certified, what no longer is, and how attempts were graded."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from models.events.base import Event
from models.feedback import Name
from models.ids import FileName, Sha256


class TaskCertified(Event):
    """Every check of a task was repeated, and held: its gold passes, its cut and trivial bodies fail."""

    topic: ClassVar[str] = "tasks"
    key_field: ClassVar[str] = "task_id"

    type: Literal["task.certified.v1"] = "task.certified.v1"
    task_id: FileName
    package: Name
    version: Name
    kind: Literal["function", "class", "cluster", "files"]
    units: tuple[Name, ...]
    """`module:qualname` of what was cut."""
    lines: int
    """Of code that was cut."""
    files: int
    difficulty: float
    """0 to 1; an estimate, unless `pass_rate` is there."""
    pass_rate: float | None = None
    """Of a baseline agent."""
    fail_to_pass: int
    pass_to_pass: int
    hidden: int
    mutants: int
    mutants_killed: int
    tree_sha256: Sha256
    tests_sha256: Sha256
    gold_sha256: Sha256
    hidden_sha256: Sha256
    signature: Name
    """HMAC-SHA256 (hex) of all of that, by the home's key."""


class TaskWithdrawn(Event):
    """A task no longer certifies: no result on it counts from now on."""

    topic: ClassVar[str] = "tasks"
    key_field: ClassVar[str] = "task_id"

    type: Literal["task.withdrawn.v1"] = "task.withdrawn.v1"
    task_id: FileName
    reason: str


class Tripped(BaseModel):
    """A tripwire that an attempt has met."""

    model_config = ConfigDict(frozen=True)

    name: Name
    severity: Literal["cheat", "note"]
    """`cheat` takes the strict score; a `note` is only told."""
    where: str = ""
    """File and line, or the step of the rollout."""
    evidence: str = ""


class TaskGraded(Event):
    """An attempt at a task was graded, apart from who made it."""

    topic: ClassVar[str] = "tasks"
    key_field: ClassVar[str] = "task_id"

    type: Literal["task.graded.v1"] = "task.graded.v1"
    task_id: FileName
    checkpoint_id: Name | None = None
    rollout_id: Name | None = None
    job_id: Name | None = None
    epoch: int | None = None
    trial: int = 0
    """Which attempt at the task, from 0."""
    status: Literal["graded", "errored"] = "graded"
    strict: float | None = None
    """1: all tests pass in the grader's own tree, and nothing was tripped. None where errored: that is no zero."""
    lenient: float | None = None
    """What the exit code of the agent's own tests in its own tree says."""
    fail_to_pass: int = 0
    """Of the tests that the task is about, so many passed; `pass_to_pass` and `hidden` likewise."""
    fail_to_pass_total: int = 0
    pass_to_pass: int = 0
    pass_to_pass_total: int = 0
    hidden: int = 0
    hidden_total: int = 0
    tripped: tuple[Tripped, ...] = ()
    seconds: float | None = None
    """Wall clock of the grading."""
    reason: str | None = None
    """Why it could not be graded."""
