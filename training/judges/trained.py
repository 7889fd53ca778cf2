"""A judge that the method `judge` has trained, from its checkpoint."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from models.protocols import Judgement
from text.normal_form import normal_form
from training import checkpoint
from training.judges.calibration import Calibration, as_float64, outputs_of
from training.judges.network import Embedder, Features, Network, Shape, featurise

DECIMALS = 6
"""Computed in double precision and cut here, so that what stands beside a text doesn't show in its judgement."""
BATCH = 256


class TrainedJudge:
    """See `models.protocols.Judge`. Weights of the embedding are loaded with the first text."""

    def __init__(self, checkpoint_id: str, folder: Path, sha256: str | None, embedder: Embedder) -> None:
        """Raises TerminalError where the files are missing, damaged, or made with an embedding that isn't here."""
        self._checkpoint_id = checkpoint_id
        tensors, config, _ = checkpoint.load(folder, sha256)
        try:
            self._shape = Shape(**config["shape"])
            self._calibration = Calibration(**config["calibration"])
            self._modes = [str(mode) for mode in config["modes"]]
            self._threshold = float(config["mode_threshold"])
            named = str(config["embedding"]["model_id"]), str(config["embedding"]["dtype"])
            network = Network(self._shape)
            network.load_state_dict(tensors)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise TerminalError(f"The checkpoint {folder} is no judge of this version: {error}") from error
        self._network = network.double()
        self._embedder = embedder
        if (self._embedder.model_id, self._embedder.dtype) != named:
            here = (embedder.model_id, embedder.dtype)
            raise TerminalError(
                f"{checkpoint_id} reads vectors of {'-'.join(named)}, and this home has {'-'.join(here)}: "
                "open it in a home of the first"
            )

    @property
    def checkpoint_id(self) -> str:
        """See `Judge`."""
        return self._checkpoint_id

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """See `Judge`."""
        forms = [normal_form(text) for text in texts]
        once = list(dict.fromkeys(forms))
        found: dict[str, Judgement] = {}
        for start in range(0, len(once), BATCH):
            batch = once[start : start + BATCH]
            found |= dict(zip(batch, self._judgements(batch), strict=True))
        return [found[form] for form in forms]

    def _judgements(self, forms: Sequence[str]) -> list[Judgement]:
        features = featurise(forms, self._embedder, self._shape.buckets)
        features = Features(features.vectors.to(torch.float64), features.buckets)
        negative_logits, mode_logits = (as_float64(logits) for logits in outputs_of(self._network, features))
        negative = self._calibration.negative(negative_logits).round(DECIMALS)
        if not self._modes:
            return [Judgement(float(p), None, 0.0) for p in negative]
        modes = self._calibration.modes(mode_logits).round(DECIMALS)
        judgements: list[Judgement] = []
        for p, row in zip(negative, modes, strict=True):
            best = int(row.argmax())
            sure = float(row[best])
            judgements.append(Judgement(float(p), self._modes[best] if sure >= self._threshold else None, sure))
        return judgements


def opened(registered: CheckpointRegistered, folder: Path, embedder: Callable[[], Embedder]) -> TrainedJudge:
    """See `training.judges.JUDGES`."""
    return TrainedJudge(registered.checkpoint_id, folder, registered.artifact_sha256, embedder())
