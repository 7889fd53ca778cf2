"""What makes the next build cold: any change of what its outcome depends on, and nothing else."""

from pathlib import Path

import pytest

from transforms.code import code_digest


def checkout(root: Path, changed: str | None = None) -> Path:
    for name in ("requirements.lock", "transforms/models/a.sql", "stats/b.py", "ingest/vectors.py", "README.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("other" if name == changed else name)
    return root


@pytest.mark.parametrize("name", ["requirements.lock", "transforms/models/a.sql", "stats/b.py", "ingest/vectors.py"])
def test_another_digest(tmp_path: Path, name: str) -> None:
    assert code_digest(checkout(tmp_path / "old")) != code_digest(checkout(tmp_path / "new", changed=name))


def test_the_same_digest(tmp_path: Path) -> None:
    assert code_digest(checkout(tmp_path / "old")) == code_digest(checkout(tmp_path / "new", changed="README.md"))
