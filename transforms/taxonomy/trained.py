"""The classifier as a training job asks for it: the build's own fit, with what a checkpoint keeps of it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.protocols import FittedClassifier
from text.normal_form import normal_form
from transforms.taxonomy.version import model_version


def fit_classifier(
    texts: Sequence[str], modes: Sequence[str], vectors: NDArray[np.float32], embedding: str
) -> FittedClassifier:
    """Fills `models.protocols.FitClassifier`. Raises FlywheelError where examples are too few."""
    from transforms.taxonomy.fit import fit  # noqa: PLC0415  (scikit-learn takes a second)

    classifier = fit([normal_form(text) for text in texts], modes, vectors)
    card = classifier.card._asdict()
    shares = ("accuracy", "ece", "auroc", "precision", "coverage", "threshold")
    return FittedClassifier(
        version=model_version(texts, modes, embedding),
        weights=classifier.weights(),
        config={
            "modes": list(classifier.modes),
            "embedding": embedding,
            "card": card | {"by_mode": [score._asdict() for score in classifier.card.by_mode]},
        },
        measures={name: float(card[name]) for name in shares if card[name] is not None},
    )
