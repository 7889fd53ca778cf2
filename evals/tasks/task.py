"""A task as a folder: what an agent gets, and beside it what only the grader may read.

    <task_id>/task.json          `Task`
    <task_id>/tree.tar           the tree with the feature cut out: what an agent gets
    <task_id>/private/gold.tar   the files of the feature, as they were, by their paths in the tree
    <task_id>/private/gold.patch the same as a diff against `tree.tar`, for people and for Harbor
    <task_id>/private/tests.tar  tests and their helpers (conftest, data), pristine
    <task_id>/private/hidden.json `Hidden`

Left out: how tasks are made (`evals.tasks.generate`), graded (`evals.grader`), and where they are kept
(`evals.tasks.store`).
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evals.tasks.values import Json
from models.feedback import Name
from models.ids import FileName, Sha256, content_id

Kind = Literal["function", "class", "cluster", "files"]


class Unit(BaseModel):
    """A piece of code that was cut."""

    model_config = ConfigDict(frozen=True)

    path: str
    """In the tree, with /."""
    qualname: str
    """`Class.method`, as Python names it; empty for a whole file."""
    module: str
    """By which it is imported."""
    lines: int
    """Of code, without blank lines, comments and docstring."""


class Difficulty(BaseModel):
    """How hard a task is."""

    model_config = ConfigDict(frozen=True)

    lines: int
    files: int
    call_depth: int
    """Longest chain of calls within what was cut, and into the rest of the package."""
    estimate: float = Field(ge=0, le=1)
    """0 easy, 1 hard; an estimate until `pass_rate` is measured."""
    pass_rate: float | None = None
    """Of the baseline agent; None: none was set."""


class Task(BaseModel):
    """What is asked, and how it is checked."""

    model_config = ConfigDict(frozen=True)

    task_id: FileName
    package: Name
    version: str
    kind: Kind
    units: tuple[Unit, ...]
    instructions: str
    fail_to_pass: tuple[str, ...]
    """Ids of tests (pytest's, relative to the tree) that fail in the tree as given and pass with the gold files."""
    pass_to_pass: tuple[str, ...]
    """Tests that touch the feature's module and pass in both."""
    test_files: dict[str, Sha256]
    """Path -> digest, of what lies in `tests.tar`."""
    tools: tuple[str, ...] = ("pytest",)
    """Distributions beside the standard library that tests need."""
    seconds: float
    """What the whole check may take, wall clock."""
    mutants: tuple[int, int] = (0, 0)
    """Wrong variants of the gold files that its tests and hidden cases tell from right ones, of how many."""
    difficulty: Difficulty
    tree_sha256: Sha256
    tests_sha256: Sha256
    gold_sha256: Sha256
    hidden_sha256: Sha256
    format: Literal[1] = 1


class Call(BaseModel):
    """A call of what was cut, by the values of `evals.tasks.values`."""

    model_config = ConfigDict(frozen=True)

    module: str
    qualname: str
    """A function; `Class.method`: called on an object that `build` makes."""
    args: tuple[Json, ...] = ()
    kwargs: dict[str, Json] = Field(default_factory=dict)
    build: tuple[tuple[Json, ...], dict[str, Json]] | None = None
    """Arguments of the class, where the call is one of a method."""
    before: tuple[tuple[str, tuple[Json, ...], dict[str, Json]], ...] = ()
    """Methods that are called on the object first, by name; what they give, or raise, is passed over."""
    look_at_object: bool = True
    """Whether the object's attributes are part of `after`: not where keeping them is up to who solves the task."""


class Outcome(BaseModel):
    """What a call gave."""

    model_config = ConfigDict(frozen=True)

    value: Json = None
    """Encoded."""
    raised: str | None = None
    """`module:qualname` of the exception's class, in place of a value."""
    after: Json = None
    """The arguments afterwards (and the object of a method), encoded: calls may change them."""


class HiddenCase(BaseModel):
    """A call with what the gold files give."""

    model_config = ConfigDict(frozen=True)

    call: Call
    expected: Outcome


class Hidden(BaseModel):
    """The hidden tests of a task: they never enter a room, their calls do."""

    model_config = ConfigDict(frozen=True)

    cases: tuple[HiddenCase, ...]


def task_id(package: str, version: str, units: tuple[Unit, ...], digests: tuple[str, ...]) -> str:
    """Equal trees, tests and gold files give the equal id."""
    said = [package, version, [unit.model_dump() for unit in units], list(digests)]
    return content_id("task", said)
