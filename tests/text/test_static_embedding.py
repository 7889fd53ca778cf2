"""A table of tokens as the embedding: chosen by the setting, and the same for a text in any company."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from models.errors import FlywheelError
from text.embedding import MODEL_SETTING, load_embedder
from text.static_embedding import StaticEmbedder, distil, distilled_from

WORDS = ("[UNK]", "the", "slow", "sluggish", "answer", "reply", "button", "green")
MEANINGS = np.array(
    [[0, 0, 0], [0.1, 0.1, 0.1], [3, 0.2, 0], [2.7, 0, 0.1], [0.2, 2, 0], [0, 1.9, 0.1], [0, 0, 3], [0.1, 0.1, 2]],
    dtype=np.float32,
)  # fmt: skip


def tokenizer() -> Any:
    made = Tokenizer(WordLevel({word: row for row, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()  # pyright: ignore[reportAttributeAccessIssue]  (a setter that its stub leaves out)
    return made


@pytest.fixture
def embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StaticEmbedder:
    StaticModel(MEANINGS, tokenizer()).save_pretrained(tmp_path / "words")
    monkeypatch.setenv(MODEL_SETTING, str(tmp_path / "words"))
    chosen = load_embedder()
    assert isinstance(chosen, StaticEmbedder)
    return chosen


def test_a_folder_with_a_table_is_chosen_by_the_setting(embedder: StaticEmbedder) -> None:
    assert embedder.model_id.startswith("words-static-")
    assert (embedder.dtype, embedder.width) == ("float32", 3)
    assert embedder.embed([]).shape == (0, 3)


def test_a_static_model_of_sentence_transformers_is_read_too(embedder: StaticEmbedder, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    (folder / "0_StaticEmbedding").mkdir(parents=True)
    (folder / "modules.json").write_text('[{"path": "0_StaticEmbedding", "type": "theirs.StaticEmbedding"}]')
    (folder / "config_sentence_transformers.json").write_text("{}")
    tokenizer().save(str(folder / "0_StaticEmbedding" / "tokenizer.json"))
    with pytest.raises(FlywheelError, match=r"No weights.*theirs"):
        load_embedder(str(folder))
    (folder / "0_StaticEmbedding" / "model.safetensors").write_bytes(save({"embedding.weight": MEANINGS}))
    assert (load_embedder(str(folder)).embed(["slow reply"]) == embedder.embed(["slow reply"])).all()


def test_a_vector_does_not_depend_on_its_neighbours(embedder: StaticEmbedder) -> None:
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(WORDS[1:], length)) for length in range(1, 40)] * 120
    together = embedder.embed(texts)
    for row in range(39):
        assert (embedder.embed([texts[row]])[0] == together[row::39]).all()
    assert (embedder.embed(texts[::-1])[::-1] == together).all()


def test_a_paraphrase_is_nearer_than_another_matter(embedder: StaticEmbedder) -> None:
    slow, sluggish, button = embedder.embed(["the slow answer", "the sluggish reply", "the green button"])
    assert slow @ sluggish > slow @ button + 0.2


def test_what_has_no_known_token_has_a_vector_too(embedder: StaticEmbedder) -> None:
    seen: list[int] = []
    vectors = embedder.embed(["", "nothing", "bad \ud83d", "slow"], seen.append)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert (vectors[0] == vectors[1]).all()
    assert seen == [4]


def test_the_packaged_model_is_distilled_when_the_setting_says_static(monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = load_embedder(dtype="float32")
    monkeypatch.setenv(MODEL_SETTING, "static")
    static = load_embedder(dtype="bfloat16")  # as a home that pinned a transformer asks
    assert isinstance(static, StaticEmbedder)
    assert static.model_id == f"{packaged.model_id}-static1"
    assert (static.dtype, static.width) == ("float32", packaged.width)


def test_a_table_is_distilled_once_and_again_if_it_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    packaged = load_embedder(dtype="float32")
    shapes: set[tuple[int, ...]] = set()

    def encode(ids: Any, mask: Any) -> Any:
        assert (ids[:, 0] == 101).all() and (ids[:, 2] == 102).all() and mask.all()
        shapes.add(ids.shape)
        return np.stack([np.sin(ids[:, 1]), np.cos(ids[:, 1])], axis=1).astype(np.float32)

    asked: list[int] = []

    def embedded() -> Any:
        made = distilled_from(packaged.folder, lambda: "toy", 2, lambda: asked.append(1) or encode)
        return made.embed(["it is slow"])

    first = embedded()
    assert (embedded() == first).all()
    assert (len(asked), len(shapes)) == (1, 1)
    (kept,) = (tmp_path / "cache/flywheel/static").iterdir()
    kept.write_bytes(b"cut")
    assert (embedded() == first).all()
    assert len(asked) == 2


def test_a_rare_token_weighs_more_than_a_frequent_one() -> None:
    framed = np.stack([np.zeros(2000, dtype=np.int64), np.arange(2000), np.zeros(2000, dtype=np.int64)], axis=1)
    table = distil(lambda ids, _: np.where(ids[:, 1:2] % 2, 1.0, -1.0).astype(np.float32), framed, np.arange(2000) + 1)
    assert table.shape == (2000, 1)
    assert abs(table.mean()) < 0.01
    assert abs(table[1999, 0]) > 5 * abs(table[1, 0])
