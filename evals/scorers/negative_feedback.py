"""`negative_feedback`: is the judge right about whether the author is dissatisfied? How sure it is does not count."""

from evals.scorers.base import Score
from ingest.jobs.samples import Sample
from models.protocols import Judgement
from models.specs import Args


def negative_feedback(sample: Sample, judgement: Judgement, args: Args) -> Score | None:
    """1 if the probability falls on the side of the author's own vote. Nothing without such a vote."""
    if sample.is_negative is None:
        return None
    right = (judgement.negative >= 0.5) == sample.is_negative
    said = "dissatisfied" if sample.is_negative else "satisfied"
    return Score(float(right), f"{judgement.negative:.3f}", f"the author was {said}")
