"""What dbt has parsed is kept for the next process, and only for the same code at the same place."""

import shutil
import subprocess
import sys
from pathlib import Path

from transforms.code import code_digest
from transforms.run import _version  # pyright: ignore[reportPrivateUsage]

ROOT = Path(__file__).parents[2]


def test_another_checkout_of_the_same_code_does_not_read_what_this_one_has_parsed(tmp_path: Path):
    for name in ("transforms", "models", "text", "stats", "ingest"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "target"))
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    script = "from transforms import code, run; print(code.code_digest(), run._version())"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    digest, version = done.stdout.split()
    assert digest == code_digest()
    assert version != _version()
