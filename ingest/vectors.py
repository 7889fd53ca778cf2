"""Vectors of texts, each computed once: Parquet files in the home, named by their content, a row a text.

Kept by text hash under the embedding's name (model and dtype), which the home pins on first use, since vectors of two
dtypes must not be mixed. A file that was lost costs time, nothing else.
"""

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ingest.durable import put_if_absent
from ingest.home import Home
from models.errors import TerminalError, TransientError
from text.embedding import MODEL_SETTING, Embedder, load_embedder
from text.normal_form import text_hash
from text.static_embedding import CHOICE

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str], Sequence[str]], Vectors]
"""(text hashes, normal forms) to vectors (n, d)."""

COMPACT_FROM = 64
"""Files from which on they are written together as one."""

TRIES = 100
"""Lists of files that are tried; each one that fails means that another process has just merged some."""


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
    known = find(folder, hashes)
    missing = [row for row, text_hash in enumerate(hashes) if text_hash not in known]
    if missing:
        embedder = _embedder(name)
        fresh = {hashes[row]: forms[row] for row in missing}
        vectors = embedder.embed(list(fresh.values()), progress)
        keep(folder, list(fresh), vectors)
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
            f"the vectors of {model} are pinned here, and {MODEL_SETTING}="
            f"{os.environ.get(MODEL_SETTING, '')} is {embedder.model_id}: set it as when this home was made (not set, "
            f"{CHOICE}, or the folder of that model), or use another home"
        )
    return embedder


def find(folder: Path, hashes: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of those of `hashes` that `folder` has."""
    if not hashes:
        return {}
    wanted = pl.Series("text_hash", list(hashes), dtype=pl.String).unique().implode()
    _, found = _read(folder, lambda kept: kept.filter(pl.col("text_hash").is_in(wanted)))
    if found is None:
        return {}
    return dict(zip(found["text_hash"].to_list(), found["vector"].to_numpy(), strict=True))


def keep(folder: Path, hashes: Sequence[str], vectors: Vectors, *, compact_from: int = COMPACT_FROM) -> None:
    """Add vectors (n, d) to `folder`; once it has `compact_from` files, all are written together as one."""
    frame = pl.DataFrame({"text_hash": hashes, "vector": vectors})
    merged: list[Path] = []
    if len(list(folder.glob("*.parquet"))) >= compact_from:
        merged, kept = _read(folder, lambda kept: kept)
        frame = frame if kept is None else pl.concat([kept, frame]).unique("text_hash")
    content = io.BytesIO()
    frame.sort("text_hash").write_parquet(content)
    file = folder / f"{hashlib.sha256(content.getvalue()).hexdigest()}.parquet"
    put_if_absent(file, content.getvalue())
    for other in merged:
        if other != file:  # another process has merged the same, and this one has read it
            other.unlink(missing_ok=True)


def _read(folder: Path, choose: Callable[[pl.LazyFrame], pl.LazyFrame]) -> tuple[list[Path], pl.DataFrame | None]:
    """The files of `folder` and what `choose` takes of their rows, one a text; None where there is no file.

    Another process may merge files between the list and the reading, and the rows are in its file then: list again.
    """
    for _ in range(TRIES):
        files = sorted(folder.glob("*.parquet"))
        if not files:
            return [], None
        try:
            return files, choose(pl.scan_parquet(files, glob=False)).collect().unique("text_hash")
        except FileNotFoundError:
            continue
    raise TransientError(f"files of vectors in {folder} go as fast as they are listed: try again")


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
