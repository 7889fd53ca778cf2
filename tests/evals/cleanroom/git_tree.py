"""Repositories for tests."""

import os
import subprocess
from pathlib import Path

ENV = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}  # fmt: skip


def git(folder: Path, *words: str) -> str:
    told = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=folder, env={**os.environ, **ENV}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return told.stdout.strip()


def repository(folder: Path, **files: str) -> Path:
    """A repository at `folder` with one commit; `__` in a name is a slash, and `_py` its ending."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for name, text in (files or {"acme__core_py": "def f():\n    return 1\n"}).items():
        path = folder / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder
