from pathlib import Path

import pytest
import torch

from models.errors import TerminalError
from training import checkpoint

TENSORS = {"weight": torch.arange(6, dtype=torch.float32).reshape(2, 3), "bias": torch.zeros(2)}
FILES = checkpoint.dump(TENSORS, {"shape": [2, 3], "name": "tiny"})


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    sha256 = checkpoint.save(tmp_path / "c", FILES)
    loaded = checkpoint.load(tmp_path / "c", sha256)
    assert (loaded.config, loaded.sha256) == ({"shape": [2, 3], "name": "tiny"}, sha256)
    assert all(torch.equal(loaded.tensors[name], tensor) for name, tensor in TENSORS.items())
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["config.json", "model.safetensors", "sha256"]


def test_equal_content_has_the_equal_digest_whatever_the_order() -> None:
    again = checkpoint.dump(dict(reversed(TENSORS.items())), {"name": "tiny", "shape": [2, 3]})
    assert again == FILES
    assert checkpoint.sha256_of(checkpoint.dump(TENSORS, {"name": "other"})) != checkpoint.sha256_of(FILES)


def test_saving_again_mends_what_is_damaged_and_leaves_what_is_whole(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "c", FILES)
    before = (tmp_path / "c" / "sha256").stat().st_ino
    checkpoint.save(tmp_path / "c", FILES)
    assert (tmp_path / "c" / "sha256").stat().st_ino == before
    (tmp_path / "c" / "config.json").write_text("{}")
    sha256 = checkpoint.save(tmp_path / "c", FILES)
    assert checkpoint.load(tmp_path / "c").sha256 == sha256
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "sha256"])
def test_a_file_that_is_missing_or_cut_short_is_refused(tmp_path: Path, name: str) -> None:
    checkpoint.save(tmp_path, FILES)
    (tmp_path / name).write_bytes(FILES[name][:-1])
    with pytest.raises(TerminalError, match="damaged"):
        checkpoint.load(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(TerminalError, match=f"lacks .*{name}"):
        checkpoint.load(tmp_path)


def test_another_checkpoint_in_its_place_is_refused(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "c", FILES)
    with pytest.raises(TerminalError, match="not abc"):
        checkpoint.load(tmp_path / "c", "abc")
