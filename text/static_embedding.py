"""Turn texts into vectors by a table of tokens: a text's vector is the mean of its tokens' rows, with no network run.

Tens of thousands of texts a second on one core, for some points of accuracy. The table is a model2vec or
sentence-transformers static model in a folder, or it is distilled from a transformer: each token of its vocabulary is
run once between the two special tokens, rows are centred, and each is weighted by how rare its token is. Source:
Tulkens and van Dongen, "Model2Vec" (2024); the weights are Arora et al., "A simple but tough-to-beat baseline for
sentence embeddings" (2017), section 3, with Zipf's law in place of counted frequencies, as in Model2Vec.

A vector depends on its text and the table alone, never on its neighbours. Leaves out PCA: on CLINC150's validation
part it changed little (one draw of 50 shots, before words were ranked: .929 without, .931 with), and its signs are not
the same on every machine.
"""

import functools
import importlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from models.errors import FlywheelError
from models.unicode import repair

CHOICE: Final = "static"
"""What the setting says for the table that is distilled from the packaged model."""
DTYPE: Final = "float32"

_RECIPE: Final = 1
"""Part of the model id: raised when distillation gives other rows."""
_SMOOTHING: Final = 1e-4
_AT_ONCE: Final = 512
CHARACTERS_READ: Final = 20_000
"""Of a text; what follows is not looked at."""
_TEXTS_AT_ONCE: Final = 4096

Vectors = NDArray[np.float32]
Encode = Callable[[NDArray[np.int64], NDArray[np.int64]], Vectors]
"""Token ids and mask, both (n, length), to vectors (n, d)."""


class StaticEmbedder:
    """Embeds texts by one table. It is read, or distilled, at the first text, not before."""

    dtype = DTYPE

    def __init__(self, folder: Path, model_id: Callable[[], str], width: int, load: Callable[[], Any]) -> None:
        self.folder = folder
        self.width = width
        self._model_id = model_id
        self._load = functools.cache(load)

    @property
    def model_id(self) -> str:
        """Name and digest of the weights; that they are static is part of it."""
        return self._model_id()

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """(n, d) float32, each row of length 1; the same bits for the same text, whatever stands beside it.

        A text without a known token points the same way in every column, which is near to no other. `progress` is told
        how many texts are done.
        """
        vectors = np.empty((len(texts), self.width), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            window = [repair(text[:CHARACTERS_READ])[0] for text in texts[start : start + _TEXTS_AT_ONCE]]
            vectors[start : start + len(window)] = self._load().encode(
                window, normalize=False, use_multiprocessing=False
            )
            if progress is not None:
                progress(start + len(window))
        vectors[~vectors.any(axis=1)] = 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def is_static(folder: Path) -> bool:
    """Whether the model in `folder` is a table of tokens, as model2vec or sentence-transformers write one."""
    modules = folder / "modules.json"
    if not modules.is_file():
        config = folder / "config.json"
        return config.is_file() and json.loads(config.read_text()).get("model_type") == "model2vec"
    return any(module["type"].endswith(".StaticEmbedding") for module in json.loads(modules.read_text()))


def weights_of(folder: Path) -> Path:
    """The file of the table. Raises FlywheelError where there is none."""
    for name in ("model.safetensors", "0_StaticEmbedding/model.safetensors"):
        if (folder / name).is_file():
            return folder / name
    raise FlywheelError(f"No weights in the static embedding model {folder} (model.safetensors): save it there again.")


def from_folder(folder: Path, digest: Callable[[Path], str]) -> StaticEmbedder:
    """The embedder of a folder that `is_static`; `digest` is told the file of its weights."""
    weights = weights_of(folder)
    opened = importlib.import_module("safetensors").safe_open(weights, framework="numpy")
    name = next(name for name in ("embeddings", "embedding.weight") if name in opened.keys())  # noqa: SIM118 - no mapping
    width = int(opened.get_slice(name).get_shape()[1])
    return StaticEmbedder(
        folder,
        lambda: f"{folder.name}-static-{digest(weights)}",
        width,
        lambda: importlib.import_module("model2vec").StaticModel.from_pretrained(folder),
    )


def distilled_from(
    folder: Path, model_id: Callable[[], str], width: int, encode: Callable[[], Encode]
) -> StaticEmbedder:
    """The embedder whose table is distilled from the transformer in `folder`, once a machine.

    `model_id` and `width` are the transformer's; `encode` loads it, and is only called where the user's cache has no
    table of it.
    """

    def name() -> str:
        return f"{model_id()}-static{_RECIPE}"

    def load() -> Any:
        tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
        kept = _cache() / f"{name()}.safetensors"
        table = _kept(kept)
        if table is None:
            table = distil(encode(), _framed(tokenizer), _ranks(tokenizer))
            _keep(kept, table)
        return importlib.import_module("model2vec").StaticModel(table, tokenizer)

    return StaticEmbedder(folder, name, width, load)


def distil(encode: Encode, framed: NDArray[np.int64], ranks: NDArray[np.int64]) -> Vectors:
    """(vocabulary, d): a row a token, from the model's vectors of tokens between special ones.

    `framed` (vocabulary, 3) are those token ids, `ranks` (vocabulary,) the tokens' places by frequency, from 1. All
    batches have one shape.
    """
    count = len(framed)
    padded = np.concatenate([framed, np.repeat(framed[:1], -count % _AT_ONCE, axis=0)])
    mask = np.ones((_AT_ONCE, framed.shape[1]), dtype=np.int64)
    table = np.concatenate(
        [encode(padded[start : start + _AT_ONCE], mask) for start in range(0, len(padded), _AT_ONCE)]
    )[:count]
    frequency = 1.0 / (ranks + 1)
    weight = _SMOOTHING / (_SMOOTHING + frequency / frequency.sum())
    return ((table - table.mean(axis=0)) * weight[:, None]).astype(np.float32)


def _framed(tokenizer: Any) -> NDArray[np.int64]:
    """(vocabulary, 3): each token between those that the tokenizer puts around a text."""
    empty = tokenizer.encode("")
    first, last = (token for token, real in zip(empty.ids, empty.attention_mask, strict=True) if real)
    tokens = np.arange(tokenizer.get_vocab_size(), dtype=np.int64)
    return np.stack([np.full_like(tokens, first), tokens, np.full_like(tokens, last)], axis=1)


def _ranks(tokenizer: Any) -> NDArray[np.int64]:
    """(vocabulary,): words stand there by frequency; special tokens and single characters count as the commonest.

    On CLINC150's validation part, by nearest example: .866, against .858 where the place alone counts.
    """
    tokens = sorted(tokenizer.get_vocab().items(), key=lambda of: of[1])
    words = [len(token.removeprefix("##")) > 1 and not token.startswith("[") for token, _ in tokens]
    return np.maximum(np.cumsum(words), 1)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flywheel" / "static"


def _kept(file: Path) -> Vectors | None:
    """The table in `file`; None where it is not there or is no table, which costs its distillation again."""
    library = importlib.import_module("safetensors.numpy")
    try:
        return cast(Vectors, library.load(file.read_bytes())["embeddings"])
    except FileNotFoundError:
        return None
    except (importlib.import_module("safetensors").SafetensorError, KeyError):
        return None


def _keep(file: Path, table: Vectors) -> None:
    """Written beside its place and renamed: of two processes that distil at once, either's table stands whole."""
    beside = file.with_name(f"{uuid4().hex}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(importlib.import_module("safetensors.numpy").save({"embeddings": table}))
        beside.replace(file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FlywheelError(
            f"The static embedding can't be kept in {file.parent}: {error.strerror}; "
            "make room or set XDG_CACHE_HOME to a folder that can be written."
        ) from error
