"""The method `mode-classifier`: fit what assigns failure modes on examples and labels, as builds do, and keep it.

One step: the fit takes seconds, and what was killed begins anew. Its numbers are of a cross-validation, in which every
example is left out once. The checkpoint is named by the classifier's version, by which builds name it as well. Left
out: arguments, since a fit with others would be another than the build's.
"""

import time

import torch

from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import Sample, read_samples
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from models.events.result import TrainingCompleted
from models.specs import TrainingSpec
from text.normal_form import normal_form
from training import checkpoint
from training.needs import Needs
from training.step import logged

METHOD = "mode-classifier"
METRIC = "heldout/accuracy"


def train(attempt: Attempt, spec: TrainingSpec, needs: Needs) -> str:
    """Run the spec: log the model card, register the checkpoint, and return its digest.

    Raises FlywheelError for a spec with arguments, for a set that is too small or has rows without text or mode, and
    where the same version was fitted to other weights before.
    """
    began = time.monotonic()
    if spec.args:
        raise TerminalError(f"The method {METHOD} takes no arguments; the spec sets {', '.join(sorted(spec.args))}.")
    if needs.fit_classifier is None:
        raise TerminalError(f"This worker has nothing that runs {METHOD}: start one with flywheel training serve.")
    attempt.beat(0, "load")
    texts, modes = _examples(read_samples(attempt.home, spec.data), spec)
    embedder = needs.embedder
    vectors = embedder.embed([normal_form(text) for text in texts])
    attempt.beat(0, "update")
    fitted = needs.fit_classifier(texts, modes, vectors, f"{embedder.model_id}-{embedder.dtype}")
    attempt.beat(1, "save")

    config: checkpoint.Config = {"method": METHOD, "version": fitted.version, **fitted.config}
    tensors = {name: torch.as_tensor(each) for name, each in fitted.weights.items()}
    files = checkpoint.dump(tensors, config)
    sha256 = checkpoint.sha256_of(files)
    folder = attempt.home.checkpoints / fitted.version
    known = checkpoint.digest_in(folder)
    if known not in (None, sha256):
        raise TerminalError(
            f"The checkpoint {folder} has the digest {known}, and the same fit gives {sha256} here: this machine "
            "calculates otherwise. Train where it was trained, or remove that folder."
        )
    checkpoint.save(folder, files)
    attempt.emit([logged(attempt, 1, f"heldout/{name}", value) for name, value in fitted.measures.items()])
    attempt.emit(
        [
            CheckpointRegistered(
                id=attempt.event_id("checkpoint"),
                source=attempt.source,
                checkpoint_id=fitted.version,
                role=spec.role,
                method=METHOD,
                spec_id=attempt.job.spec_id,
                data_sha256=spec.data.sha256,
                artifact_sha256=sha256,
                path=f"checkpoints/{fitted.version}",
                job_id=attempt.job.job_id,
                epoch=attempt.epoch,
            ),
            TrainingCompleted(
                id=attempt.event_id("training"),
                source=attempt.source,
                spec_id=attempt.job.spec_id,
                job_id=attempt.job.job_id,
                epoch=attempt.epoch,
                checkpoint_id=fitted.version,
                method=METHOD,
                steps=1,
                metric=METRIC,
                value=fitted.measures["accuracy"],
                train_rows=len(texts),
                validation_rows=0,
                heldout_rows=len(texts),
                seconds=time.monotonic() - began,
            ),
        ]
    )
    return sha256


def _examples(samples: list[Sample], spec: TrainingSpec) -> tuple[list[str], list[str]]:
    texts: list[str] = []
    modes: list[str] = []
    for sample in samples:
        if sample.text is None or sample.mode_id is None:
            lacking = "text" if sample.text is None else "mode"
            raise TerminalError(f"The set {spec.data.sha256}, sample {sample.sample_id}: it has no {lacking}.")
        texts.append(sample.text)
        modes.append(sample.mode_id)
    return texts, modes
