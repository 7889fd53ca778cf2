"""The embedder that a home has settled on, so that all vectors in it come from one model and dtype."""

from ingest.home import Home
from models.errors import TerminalError
from text.embedding import Embedder, load_embedder


def home_embedder(home: Home) -> Embedder:
    """The one that `home` pins, by default this machine's. Raises TerminalError where this machine has another."""
    default = load_embedder()
    pinned = home.pin("embedding", f"{default.model_id}-{default.dtype}")
    model, _, dtype = pinned.rpartition("-")
    return embedder_named(model, dtype)


def embedder_named(model_id: str, dtype: str) -> Embedder:
    """This machine's model in `dtype`. Raises TerminalError where it is not `model_id`."""
    embedder = load_embedder(dtype=dtype)
    if embedder.model_id != model_id:
        raise TerminalError(
            f"The embedding {model_id} is asked for, and this machine has {embedder.model_id}: "
            "name the folder of the first in FLYWHEEL_EMBEDDING_MODEL."
        )
    return embedder
