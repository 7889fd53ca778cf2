"""`failure_mode`: does the judge tell texts of one failure mode from others? Its set holds as many of each."""

from evals.scorers.base import Score
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.protocols import Judgement
from models.specs import Args


def failure_mode(sample: Sample, judgement: Judgement, args: Args) -> Score | None:
    """1 if the judge names the mode `args["mode"]` where the sample is of it, and doesn't where it is not.

    Always naming it, and never, both give a half. Raises TerminalError where the spec doesn't say
    which mode.
    """
    mode = args.get("mode")
    if mode is None:
        raise TerminalError("The scorer failure_mode needs to be told of which mode: args {'mode': ID}.")
    return Score(
        float((judgement.mode_id == mode) == (sample.mode_id == mode)),
        judgement.mode_id or "none",
        f"probability {judgement.mode_probability:.3f}; known as {sample.mode_id or 'none'}",
    )
