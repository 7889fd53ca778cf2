"""What the training worker does with a job: find the spec's method and run it. torch is loaded only then."""

from typing import TYPE_CHECKING

from ingest.jobs.attempt import Attempt
from ingest.vectors import HomeEmbedder
from models.errors import TerminalError
from models.specs import TrainingSpec

if TYPE_CHECKING:
    from training.judges.network import Embedder

METHODS = ("judge",)
"""Each is a file in `training/methods/`, and a line in `run_training`."""


def run_training(attempt: Attempt, embedder: "Embedder | None" = None) -> str:
    """Run the job's training spec; returns the digest of the checkpoint. `embedder` stands in for the home's own.

    Raises TerminalError for a job whose spec is no training spec, or asks for a method that isn't there.
    """
    spec = attempt.issued.spec
    if not isinstance(spec, TrainingSpec):
        raise TerminalError(f"Job {attempt.job.job_id} trains, but {attempt.job.spec_id} is a {type(spec).__name__}.")
    match spec.method:
        case "judge":
            from training.methods import judge  # noqa: PLC0415 - torch takes seconds to load

            return judge.train(attempt, spec, embedder or HomeEmbedder(attempt.home))
        case _:
            known = ", ".join(METHODS)
            raise TerminalError(
                f"Spec {attempt.job.spec_id} asks for the training method {spec.method!r}; known: {known}."
            )
