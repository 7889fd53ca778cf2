"""What jobs found out. Each names its job and epoch: a zombie can still write, and marts admit the winning epoch."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import EventKey, Name

Fault = Literal["infrastructure", "refused", "no_target", "unreadable", "judge", "budget"]
"""`infrastructure`: no answer, a time-out, a world that broke. `refused`: the endpoint won't. `unreadable`: an answer
that is none. `no_target`: nothing to score against. `judge`: it answered outside its labels. `budget`: it was not
asked, since money or time was used up."""


class EvalSampleScored(Event):
    """One sample of an eval was scored, or could not be."""

    topic: ClassVar[str] = "results"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["result.eval_sample_scored.v1"] = "result.eval_sample_scored.v1"
    spec_id: Name
    checkpoint_id: Name
    job_id: Name
    epoch: int
    sample_id: EventKey
    """The event key of the evidence behind it."""
    scorer: Name
    status: Literal["scored", "errored"] = "scored"
    score: float | None = None
    """0 to 1. None where errored: an infrastructure failure is never a zero."""
    answer: str | None = None
    """What the checkpoint said, in short (a probability, a verdict)."""
    explanation: str | None = None
    trial: int = 0
    """Which attempt at the sample, from 0."""
    cluster: Name | None = None
    """What samples share their luck through: a repository, a conversation, a world. None: the sample alone."""
    lenient: float | None = None
    """The score without the checks that cheating or a second try would fail; None where there is no such reading."""
    fault: Fault | None = None
    """Why there is no score."""
    truncated: bool = False
    """The answer was cut off, as its tokens were used up; it is scored as it stands."""
    judge_id: Name | None = None
    judge_version: Name | None = None
    """Which judge had a say in the score."""
    rollout_id: Name | None = None
    """What the checkpoint did, step by step, where it acted."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    """Wall clock of the answer, waiting for its turn not included."""


class EvalCompleted(Event):
    """An eval of one checkpoint ended."""

    topic: ClassVar[str] = "results"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["result.eval_completed.v1"] = "result.eval_completed.v1"
    spec_id: Name
    checkpoint_id: Name
    job_id: Name
    epoch: int
    metric: Name
    value: float | None = None
    """The metric over the scored samples; None if nothing could be scored."""
    low: float | None = None
    high: float | None = None
    """95% interval; the method stands in `interval`."""
    interval: Name | None = None
    samples: int
    scored: int
    errored: int
    trials: int = 1
    """Attempts a sample; the three counts above are of attempts."""
    clusters: int | None = None
    stopped_early: bool = False
    """The answer was clear before every sample was asked."""
    unasked: int = 0
    """Attempts that errored since nobody could pay for them: money or time was used up."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None


class TrainingStepLogged(Event):
    """One metric at one step. A resumed run writes some steps again: upsert on (job, step, metric)."""

    topic: ClassVar[str] = "results"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["result.training_step_logged.v1"] = "result.training_step_logged.v1"
    spec_id: Name
    job_id: Name
    epoch: int
    step: int
    metric: Name
    """`group/name`, as in train/loss."""
    value: float


class TrainingCompleted(Event):
    """A training run ended with a checkpoint."""

    topic: ClassVar[str] = "results"
    key_field: ClassVar[str] = "spec_id"

    type: Literal["result.training_completed.v1"] = "result.training_completed.v1"
    spec_id: Name
    job_id: Name
    epoch: int
    checkpoint_id: Name
    method: Name
    steps: int
    metric: Name
    value: float
    """The method's own metric on its held-out part."""
    train_rows: int
    validation_rows: int
    heldout_rows: int
    seconds: float
    """Wall clock, this epoch alone."""


class EvalReported(Event):
    """An eval that ran elsewhere was reported: a leaderboard's row, a harness's output. It promotes nothing."""

    topic: ClassVar[str] = "results"
    key_field: ClassVar[str] = "benchmark"

    type: Literal["result.eval_reported.v1"] = "result.eval_reported.v1"
    benchmark: Name
    """The benchmark, or the task in it."""
    model: Name
    metric: Name
    value: float | None = None
    stderr: float | None = None
    strictness: Literal["strict", "lenient"] | None = None
    """Where a benchmark has two readings of one run: at first try, or with a second look."""
    checkpoint_id: Name | None = None
    step: int | None = None
    """Of the training run that `model` names."""
    arm: Name | None = None
    """What sets this run apart from others of the same model, step and benchmark. Part of the key: without it
    a baseline and an intervention are one."""
    shots: int | None = None
    samples: int | None = None
    run_id: Name | None = None
