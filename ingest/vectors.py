"""Vectors of texts, each computed once: Parquet files in the home, named by their content, a row a text.

Kept by text hash under the embedding's name (model and dtype), which the home pins on first use, since vectors of two
dtypes must not be mixed. A file that was lost costs time, nothing else.
"""

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.durable import put_if_absent
from ingest.home import Home
from models.errors import TerminalError
from text.embedding import MODEL_SETTING, Embedder, load_embedder
from text.normal_form import text_hash

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str], Sequence[str]], Vectors]
"""(text hashes, normal forms) to vectors (n, d)."""

COMPACT_FROM = 64
"""Files from which on they are written together as one."""


def embedding_name(home: Home, embedder: Embedder | None = None) -> str:
    """`<model>-<dtype>`, pinned for the home. Loads no weights."""
    pinned = home.facts().get("embedding")
    if pinned is not None:
        return str(pinned)
    embedder = embedder or load_embedder()
    return home.pin("embedding", f"{embedder.model_id}-{embedder.dtype}")


def embed(
    home: Home, hashes: Sequence[str], forms: Sequence[str], progress: Callable[[int], None] | None = None
) -> Vectors:
    """(n, d) unit vectors of the texts with these hashes and normal forms; only what the cache lacks is computed."""
    name = embedding_name(home)
    folder = home.embeddings / name
    known = _known(folder, hashes)
    missing = [row for row, text_hash in enumerate(hashes) if text_hash not in known]
    if missing:
        embedder = _embedder(name)
        fresh = {hashes[row]: forms[row] for row in missing}
        vectors = embedder.embed(list(fresh.values()), progress)
        _keep(folder, list(fresh), vectors)
        known |= dict(zip(fresh, vectors, strict=True))
    if not hashes:
        return np.empty((0, 0), dtype=np.float32)
    return np.stack([known[text_hash] for text_hash in hashes])


def _embedder(name: str) -> Embedder:
    """The embedder that the home has pinned. Raises TerminalError where this machine has another model."""
    model, _, dtype = name.rpartition("-")
    embedder = load_embedder(dtype=dtype)
    if embedder.model_id != model:
        raise TerminalError(
            f"the vectors of {model} are pinned here, and {MODEL_SETTING} names {embedder.model_id}: "
            "name the first, or use another home"
        )
    return embedder


def _known(folder: Path, hashes: Sequence[str]) -> dict[str, Vectors]:
    files = sorted(folder.glob("*.parquet"))
    if not files or not hashes:
        return {}
    wanted = pl.Series("text_hash", list(hashes), dtype=pl.String).unique().implode()
    found = pl.scan_parquet(files, glob=False).filter(pl.col("text_hash").is_in(wanted)).collect().unique("text_hash")
    vectors = found["vector"].to_numpy()
    return dict(zip(found["text_hash"].to_list(), vectors, strict=True))


def _keep(folder: Path, hashes: list[str], vectors: Vectors) -> None:
    frame = pl.DataFrame({"text_hash": hashes, "vector": vectors})
    files = sorted(folder.glob("*.parquet"))
    if len(files) >= COMPACT_FROM:
        frame = pl.concat([pl.read_parquet(files, glob=False), frame]).unique("text_hash")
    file = io.BytesIO()
    frame.sort("text_hash").write_parquet(file)
    put_if_absent(folder / f"{hashlib.sha256(file.getvalue()).hexdigest()}.parquet", file.getvalue())
    if len(files) >= COMPACT_FROM:
        for merged in files:
            merged.unlink(missing_ok=True)


class HomeEmbedder:
    """The home's own embedding with the face of `text.embedding.Embedder`: a text is computed once, whoever asks."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._name = embedding_name(home)

    @property
    def model_id(self) -> str:
        """Name and digest of the weights."""
        return self._name.rpartition("-")[0]

    @property
    def dtype(self) -> str:
        """In which numbers it computes."""
        return self._name.rpartition("-")[2]

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """(n, d) unit vectors of normal forms; `progress` is told how many are computed."""
        return embed(self._home, [text_hash(text) for text in texts], texts, progress)


def vectors_of(home: Home) -> Embed:
    """`embed` with the home filled in."""
    return lambda hashes, forms: embed(home, hashes, forms)
