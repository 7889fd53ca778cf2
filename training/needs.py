"""What training methods need of other packages; `flywheel/` fills what is not the home's own."""

from typing import TYPE_CHECKING, NamedTuple

from models.protocols import FitClassifier

if TYPE_CHECKING:
    from training.judges.network import Embedder


class Needs(NamedTuple):
    """Given to every method, which takes what it uses."""

    embedder: "Embedder"
    fit_classifier: FitClassifier | None = None
    """None where nothing that fits one was given to the worker."""
