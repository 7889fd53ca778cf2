"""Private benchmarks on the log: what was frozen, and each look that a decision took at one."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name
from models.ids import Sha256


class BenchmarkFrozen(Event):
    """A version of a benchmark changes no more: its samples have a digest, and canaries that no training may hold."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "benchmark"

    type: Literal["benchmark.frozen.v1"] = "benchmark.frozen.v1"
    benchmark: Name
    version: int
    samples: int
    clusters: int
    """Repositories, or conversations, that samples share."""
    sha256: Sha256
    spec_id: Name | None = None
    """The eval that runs it."""
    replaces: int | None = None
    """The version that is worn, where this one was made of samples that no version had."""
    shares: tuple[int, ...] = ()
    """Earlier versions that it has samples in common with: what those told counts for this one, too."""
    canary: Name | None = None
    """Stands beside every sample and in nothing else: text that has it was made from the benchmark."""
    effective: float | None = None
    """Independent samples that it is worth: fewer than its clusters, where they are of unequal size."""
    sees: float | None = None
    """The width of an interval, 0 to 1, from which on it is worn; None: twice its first one."""


class BenchmarkUsed(Event):
    """Somebody looked at a result on a benchmark: each look wears it out a little."""

    topic: ClassVar[str] = "specs"
    key_field: ClassVar[str] = "benchmark"

    type: Literal["benchmark.used.v1"] = "benchmark.used.v1"
    benchmark: Name
    version: int
    checkpoint_id: Name
    purpose: Literal["decision", "look"]
    """`decision`: a checkpoint was chosen, promoted or refused by it."""
    better: bool | None = None
    """Of a decision, the one thing that it told: whether the checkpoint is better than the best until then. None: not
    said, which counts as if it had been anything."""
    job_id: Name | None = None
