"""What the training worker does with a job: find the spec's method and run it. torch is loaded only then."""

from typing import TYPE_CHECKING

from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import read_samples
from ingest.vectors import HomeEmbedder
from models.errors import TerminalError
from models.protocols import FitClassifier, HeldOutGuard
from models.specs import TrainingSpec
from training.methods import find
from training.needs import Needs

if TYPE_CHECKING:
    from training.judges.network import Embedder


def run_training(
    attempt: Attempt,
    embedder: "Embedder | None" = None,
    fit_classifier: FitClassifier | None = None,
    guard: HeldOutGuard | None = None,
) -> str:
    """Run the job's training spec; returns the digest of the checkpoint. `embedder` stands in for the home's own,
    `fit_classifier` is what the method `mode-classifier` asks, `guard` is asked before anything is learnt.

    Raises TerminalError for a job whose spec is no training spec, or asks for a method that isn't there, and
    HeldOutData where its set holds something of a private benchmark: one may have been frozen since it was issued.
    """
    spec = attempt.issued.spec
    if not isinstance(spec, TrainingSpec):
        raise TerminalError(f"Job {attempt.job.job_id} trains, but {attempt.job.spec_id} is a {type(spec).__name__}.")
    if guard is not None:
        attempt.beat(0, "load")
        samples = read_samples(attempt.home, spec.data)
        guard(f"{attempt.job.spec_id} ({spec.key})", ((each.sample_id, each.texts) for each in samples))
    return find(spec.method)(attempt, spec, Needs(embedder or HomeEmbedder(attempt.home), fit_classifier))
