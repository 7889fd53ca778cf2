"""The method `judge`: learn from texts with a known verdict whether an author is dissatisfied, and with what.

Split by conversation, embed once (frozen), fit two heads with AdamW and class weights, stop when validation gets no
better, calibrate both heads on validation, look at the held-out part once. It stays on the CPU: the network is small.
Resumes are equal to the bit: see `Loop.saved`. Left out: fine-tuning the embedding, a learning-rate schedule.
"""

import io
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import read_samples
from models.events.checkpoint import CheckpointRegistered
from models.events.result import TrainingCompleted, TrainingStepLogged
from models.ids import content_id
from models.specs import TrainingSpec
from training import checkpoint
from training.determinism import deterministic
from training.judges.args import Args, read_args
from training.judges.calibration import Outputs, calibrate, measure, outputs_of
from training.judges.labels import UNKNOWN, Labels, check_enough, known_modes, read_labels
from training.judges.network import Features, Network, Shape, featurise
from training.judges.split import Parts, split
from training.needs import Needs
from training.step import logged

METHOD = "judge"


def train(attempt: Attempt, spec: TrainingSpec, needs: Needs) -> str:
    """Run the spec: log steps, register the checkpoint, and return its digest.

    Raises TerminalError for arguments that the method doesn't have and for a set that it can't learn from.
    """
    began = time.monotonic()
    args, embedder = read_args(spec.args), needs.embedder
    attempt.beat(0, "load")
    samples = [
        sample
        for sample in read_samples(attempt.home, spec.data)
        if sample.text is not None and (sample.is_negative is not None or sample.mode_id is not None)
    ]
    parts = split(samples)
    modes = known_modes(samples, parts)
    labels = read_labels(samples, modes)
    check_enough(spec, labels, parts)
    texts = [sample.text or "" for sample in samples]
    features = featurise(texts, embedder, args.buckets, tell=lambda done: attempt.beat(0, "load"))
    shape = Shape(features.vectors.shape[1], args.buckets, args.width, args.hidden, max(1, len(modes)), args.dropout)

    with deterministic(args.seed):
        loop = Loop(attempt, args, shape, features=features, labels=labels, parts=parts)
        loop.run(spec.budget_s, began)
        network = Network(shape)
        network.load_state_dict(loop.best)
        calibration = calibrate(network, features.rows(parts.validation), labels.rows(parts.validation))
        heldout = measure(network, calibration, features.rows(parts.heldout), labels.rows(parts.heldout))

    config: checkpoint.Config = {
        "method": METHOD,
        "shape": shape._asdict(),
        "modes": modes,
        "mode_threshold": args.mode_threshold,
        "calibration": calibration._asdict(),
        "embedding": {"model_id": embedder.model_id, "dtype": embedder.dtype},
        "data_sha256": spec.data.sha256,
    }
    files = checkpoint.dump(network.state_dict(), config)
    sha256 = checkpoint.sha256_of(files)
    checkpoint_id = content_id(METHOD, [attempt.job.spec_id, sha256])
    attempt.beat(loop.step, "save")
    checkpoint.save(attempt.home.checkpoints / checkpoint_id, files)
    attempt.emit([logged(attempt, loop.step, f"heldout/{name}", value) for name, value in heldout.items()])
    attempt.emit(
        [
            CheckpointRegistered(
                id=attempt.event_id("checkpoint"),
                source=attempt.source,
                checkpoint_id=checkpoint_id,
                role=spec.role,
                method=METHOD,
                base_checkpoint_id=spec.base_checkpoint_id,
                spec_id=attempt.job.spec_id,
                data_sha256=spec.data.sha256,
                artifact_sha256=sha256,
                path=f"checkpoints/{checkpoint_id}",
                job_id=attempt.job.job_id,
                epoch=attempt.epoch,
            ),
            TrainingCompleted(
                id=attempt.event_id("training"),
                source=attempt.source,
                spec_id=attempt.job.spec_id,
                job_id=attempt.job.job_id,
                epoch=attempt.epoch,
                checkpoint_id=checkpoint_id,
                method=METHOD,
                steps=loop.step,
                metric="heldout/accuracy",
                value=heldout["accuracy"],
                train_rows=len(parts.train),
                validation_rows=len(parts.validation),
                heldout_rows=len(parts.heldout),
                seconds=time.monotonic() - began,
            ),
        ]
    )
    return sha256


class Loop:
    """The fit. All that decides the next step is in `saved`, and nothing else is."""

    def __init__(
        self, attempt: Attempt, args: Args, shape: Shape, *, features: Features, labels: Labels, parts: Parts
    ) -> None:
        self.attempt, self.args, self.features, self.labels, self.parts = attempt, args, features, labels, parts
        self.network = Network(shape)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=args.learning_rate, weight_decay=args.weight_decay
        )
        self.loss = weighted_loss(labels.rows(parts.train), shape.modes)
        self.step = 0
        self.best = snapshot(self.network)
        self.best_loss = float("inf")
        self.worse = 0
        """Passes since the best one."""
        self.seconds = 0.0
        """Of earlier attempts."""
        self.pending: list[TrainingStepLogged] = []
        if attempt.state is not None:
            self.restore(attempt.state.content)

    def run(self, budget_s: float, began: float) -> None:
        """Until validation stays worse, the passes are over, or the budget is used up (all attempts together)."""
        args, train = self.args, self.parts.train
        steps_a_pass = -(-len(train) // args.batch)
        earlier = self.seconds
        while self.step < args.passes * steps_a_pass and self.worse < args.patience:
            number, position = divmod(self.step, steps_a_pass)
            order = shuffled(len(train), args.seed, number)
            rows = [train[int(row)] for row in order[position * args.batch : (position + 1) * args.batch]]
            loss = self.update(rows)
            self.step += 1
            self.attempt.beat(self.step, "update")
            if self.step % args.log_every == 0:
                self.log("train/loss", loss)
            if self.step % steps_a_pass == 0:
                self.validate()
            self.seconds = earlier + time.monotonic() - began
            if self.step % args.save_every == 0:
                self.flush()
                self.attempt.save(self.step, self.saved())
            if self.seconds > budget_s and self.best_loss < float("inf"):
                break
        self.flush()

    def update(self, rows: Sequence[int]) -> float:
        """One step of AdamW on a batch; returns its loss."""
        self.network.train()
        loss = self.loss(self.network(self.features.rows(rows)), self.labels.rows(rows))
        self.optimiser.zero_grad()
        loss.backward()  # pyright: ignore[reportUnknownMemberType]
        self.optimiser.step()  # pyright: ignore[reportUnknownMemberType]
        return loss.item()

    def validate(self) -> None:
        """After each pass: keep the weights if the validation loss is the lowest so far."""
        self.attempt.beat(self.step, "evaluate")
        rows = self.parts.validation
        labels = self.labels.rows(rows)
        outputs = outputs_of(self.network, self.features.rows(rows))
        loss = self.loss(outputs, labels).item()
        known = labels.negative != UNKNOWN
        right = (outputs[0] >= 0) == (labels.negative == 1)
        self.log("validation/loss", loss)
        self.log("validation/accuracy", right[known].float().mean().item())
        if loss < self.best_loss:
            self.best, self.best_loss, self.worse = snapshot(self.network), loss, 0
        else:
            self.worse += 1

    def log(self, metric: str, value: float) -> None:
        """Keep for the next `flush`."""
        self.pending.append(logged(self.attempt, self.step, metric, value))

    def flush(self) -> None:
        """Before a state is saved, so that the steps up to it are on the log."""
        self.attempt.emit(self.pending)
        self.pending = []

    def saved(self) -> bytes:
        """Weights, optimiser, the state of the random numbers (dropout), the best weights, and where it is.

        The order of the samples follows from seed and pass, so that the step is the cursor.
        """
        content = io.BytesIO()
        torch.save(  # pyright: ignore[reportUnknownMemberType]
            {
                "network": self.network.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "random": torch.get_rng_state(),
                "best": self.best,
                "at": [self.step, self.best_loss, self.worse, self.seconds],
            },
            content,
        )
        return content.getvalue()

    def restore(self, content: bytes) -> None:
        """Undo `saved`."""
        state: dict[str, Any] = torch.load(io.BytesIO(content), weights_only=True)  # pyright: ignore[reportUnknownMemberType]
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["random"])
        self.best = state["best"]
        self.step, self.best_loss, self.worse, self.seconds = state["at"]


def weighted_loss(train: Labels, modes: int) -> Callable[[Outputs, Labels], Tensor]:
    """Cross-entropy of both heads; a class counts by the inverse of its share in `train`, at most tenfold.

    Samples without a label of a head are left out of that head's mean; the mode head counts half.
    """
    negatives, positives = int((train.negative == 1).sum()), int((train.negative == 0).sum())
    of_negative = torch.tensor(min(10.0, max(0.1, positives / max(1, negatives))))
    counts = torch.bincount(train.mode[train.mode != UNKNOWN], minlength=modes).float()
    of_modes = (counts.sum() / max(1, modes) / counts.clamp(min=1)).clamp(0.1, 10.0)

    def loss(outputs: Outputs, labels: Labels) -> Tensor:
        known, named = labels.negative != UNKNOWN, labels.mode != UNKNOWN
        total = torch.zeros(())
        if bool(known.any()):
            total = total + functional.binary_cross_entropy_with_logits(
                outputs[0][known], labels.negative[known].float(), pos_weight=of_negative
            )
        if bool(named.any()):
            total = total + 0.5 * functional.cross_entropy(outputs[1][named], labels.mode[named], weight=of_modes)
        return total

    return loss


def shuffled(rows: int, seed: int, number: int) -> Tensor:
    """The order of the rows in one pass."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + number)
    return torch.randperm(rows, generator=generator)


def snapshot(network: Network) -> dict[str, Tensor]:
    """The weights as they are now."""
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}
