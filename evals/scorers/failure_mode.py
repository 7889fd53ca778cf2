"""`failure_mode`: does the judge name the same failure mode? Abstaining is wrong here: the mode is known."""

from evals.scorers.base import Score
from ingest.jobs.samples import Sample
from models.protocols import Judgement
from models.specs import Args


def failure_mode(sample: Sample, judgement: Judgement, args: Args) -> Score | None:
    """1 if the mode is the sample's. Nothing where the sample has none."""
    if sample.mode_id is None:
        return None
    return Score(
        float(judgement.mode_id == sample.mode_id),
        judgement.mode_id or "none",
        f"probability {judgement.mode_probability:.3f}; known as {sample.mode_id}",
    )
