"""The seeds with their vectors, as the fixture `seeds` gives them, and where they lie."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import transforms

FOLDER = Path(str(transforms.__file__)).parent / "seeds"


class Seeds(NamedTuple):
    texts: list[str]
    modes: list[str]
    vectors: NDArray[np.float32]
