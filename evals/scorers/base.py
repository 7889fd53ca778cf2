"""What a scorer is: a pure function from one sample, and what a checkpoint made of it, to a score."""

from collections.abc import Callable
from typing import NamedTuple

from ingest.jobs.samples import Sample
from models.protocols import Judgement
from models.specs import Args

Metric = str


class Score(NamedTuple):
    """0 is wrong, 1 is right. A sample that can't be right or wrong has no Score: it is left out, and counted."""

    value: float
    answer: str
    """What the checkpoint said, in short."""
    explanation: str | None = None


class JudgeScorer(NamedTuple):
    """Scores what a judge says of a sample's text, against what is known of the sample."""

    metric: Metric
    score: Callable[[Sample, Judgement, Args], Score | None]


class PolicyScorer(NamedTuple):
    """Scores the completion that a policy gave to a prompt, by rules."""

    metric: Metric
    score: Callable[[str, str, Args], Score | None]
    """(prompt, completion, args)."""


class EpisodeScorer(NamedTuple):
    """Scores what a policy does in the world of a sample, by the sample's own rubric."""

    metric: Metric


Scorer = JudgeScorer | PolicyScorer | EpisodeScorer
