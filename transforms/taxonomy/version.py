"""The id of a classifier: what it learns from, with which vectors, by which code. Equal ids are equal fits.

A build names by it what assigned a text, a training job its checkpoint: that is how one leads to the other.
"""

import functools
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from models.ids import content_id, digest
from transforms.code import ROOT

PREFIX: Final = "classifier"
RECIPE: Final = (
    *(
        f"transforms/taxonomy/{name}.py"
        for name in ("assign", "centroids", "classifier", "examples", "features", "fit")
    ),
    *(f"transforms/taxonomy/{name}.py" for name in ("gate", "left_out", "linear", "seen")),
    "stats/calibration.py",
    "stats/wilson.py",
    "text/normal_form.py",
)
"""The modules whose code decides an assignment."""
LIBRARIES: Final = ("numpy", "scipy", "scikit-learn")
"""Another version of these may fit another classifier."""


def model_version(texts: Sequence[str], modes: Sequence[str], embedding: str) -> str:
    """The id of what is fitted on these texts and modes, in whatever order, with vectors of this model and dtype."""
    return content_id(PREFIX, [sorted(zip(modes, texts, strict=True)), embedding, _recipe()])


@functools.cache
def _recipe() -> str:
    """Digest of the code that fits and assigns."""
    return digest([*((ROOT / name).read_text() for name in RECIPE), *(version(name) for name in LIBRARIES)])
