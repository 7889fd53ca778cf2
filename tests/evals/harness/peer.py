"""Other harnesses, each in an environment of its own, since they want other versions than we do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "flywheel" / "peers"


def installed(name: str, *requirements: str, target: bool = False, python: str = "3.11") -> Path:
    """A virtual environment with `requirements`, or with `target` a bare folder of packages for `python`; made once.

    Skips where it can't be had: no index in reach.
    """
    folder = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / f"{name}.lock"):
        if not (folder / ".done").exists():
            uv = [sys.executable, "-m", "uv"]
            commands = (
                [[*uv, "pip", "install", "-q", "--no-deps", "--python-version", python, "--target", str(folder)]]
                if target
                else [
                    [*uv, "venv", "-q", "--clear", "--python", sys.executable, str(folder)],
                    [*uv, "pip", "install", "-q", "--python", str(folder / "bin/python")],
                ]
            )
            commands[-1] += requirements
            for command in commands:
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
                if done.returncode:
                    pytest.skip(f"{name} can't be installed here: {done.stderr.strip()[-300:]}")
            (folder / ".done").touch()
    return folder
