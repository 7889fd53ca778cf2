"""The command line as a user runs it: another process, with nothing but arguments."""

import os
import subprocess
import sys
from pathlib import Path


def flywheel(*arguments: str | Path, home: Path | None = None, log: str | None = None, check: bool = True) -> str:
    """What `flywheel ARGUMENTS` printed on stdout. With `check`, its exit status must be 0."""
    done = run(*arguments, home=home, log=log)
    assert done.returncode == 0 or not check, f"{arguments}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def run(
    *arguments: str | Path, home: Path | None = None, log: str | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished process."""
    return subprocess.run(
        command(*arguments, home=home, log=log),
        capture_output=True,
        text=True,
        env=environment(),
        cwd=cwd,
        timeout=280,
        check=False,
    )


def start(*arguments: str | Path, home: Path, log: str | None = None) -> subprocess.Popen[bytes]:
    """The running process, its output dropped."""
    return subprocess.Popen(
        command(*arguments, home=home, log=log),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )


def command(*arguments: str | Path, home: Path | None, log: str | None) -> list[str]:
    """The words to run."""
    placed = [*(["--home", str(home)] if home else []), *(["--log", log] if log else [])]
    return [sys.executable, "-m", "flywheel", *placed, *map(str, arguments)]


def environment() -> dict[str, str]:
    """Ours, less what would choose a home or a log; one thread a process, since tests share two cores."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FLYWHEEL_HOME", "FLYWHEEL_LOG")}
    return kept | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
