"""A room of bubblewrap: namespaces of its own, the tree and an interpreter bound in, and the uid dropped before it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from evals.cleanroom.room import WORK, Limits, NoRoom, Ran

NOBODY = 65534
PYTHON = Path(sys.base_prefix)
"""The interpreter's prefix: bound to its own path, since a shared libpython is found by it."""
SITE = "/opt/site"
"""Where `tools` lie inside; it is on PYTHONPATH."""


class BubblewrapRoom:
    """`evals.cleanroom.Room` by bubblewrap."""

    def __init__(self, home: Path, limits: Limits, tools: Path | None) -> None:
        self.tree = home / "work"
        self._home, self._limits, self._tools = home, limits, tools

    def run(  # noqa: PLR0917
        self, command: Sequence[str], *, stdin: bytes = b"", env: Mapping[str, str] | None = None,
        seconds: float | None = None, cwd: str = WORK,
    ) -> Ran:  # fmt: skip
        """See `Room.run`."""
        began = time.monotonic()
        with subprocess.Popen(
            self._words(command, env or {}, cwd), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            try:
                out, err = process.communicate(stdin, timeout=seconds or self._limits.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                return Ran("timed out", None, out, err, time.monotonic() - began)
        return Ran("exited", process.returncode, out, err, time.monotonic() - began)

    def start(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str = WORK) -> "Started":
        """See `Room.start`."""
        return Started(self._words(command, env or {}, cwd), self._limits.seconds)

    def close(self) -> None:
        """See `Room.close`."""
        shutil.rmtree(self._home, ignore_errors=True)

    def _words(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> list[str]:
        seen = self._home / "python"
        inside = [
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
            "--uid", "1000", "--gid", "1000",
            "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
            "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/sbin", "/sbin",
            "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/home/agent", "--dir", "/run",
            "--ro-bind", str(seen if os.geteuid() == 0 else PYTHON), str(PYTHON),
            *(["--ro-bind", str(self._tools), SITE] if self._tools else []),
            "--bind", str(self.tree), WORK, "--chdir", cwd,
        ]  # fmt: skip
        settings = {
            "PATH": f"{PYTHON}/bin:/usr/bin:/bin", "HOME": "/home/agent", "LANG": "C.UTF-8", "TMPDIR": "/tmp",
            "PYTHONDONTWRITEBYTECODE": "1", **({"PYTHONPATH": SITE} if self._tools else {}), **env,
        }  # fmt: skip
        for name, value in settings.items():
            inside += ["--setenv", name, value]
        inside += ["--", *command]
        if os.geteuid() != 0:
            return inside
        script = 'mount --bind "$1" "$2" && shift 2 && exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs -- "$@"'
        return ["unshare", "-m", "sh", "-c", script, str(NOBODY), str(PYTHON), str(seen), *inside]


class Started:
    """`evals.cleanroom.Running` by bubblewrap."""

    def __init__(self, words: list[str], seconds: float) -> None:
        self._began, self._seconds = time.monotonic(), seconds
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr)
        assert self._process.stdin and self._process.stdout
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout

    def wait(self, seconds: float | None = None) -> Ran:
        """See `Running.wait`."""
        left = seconds if seconds is not None else self._seconds - (time.monotonic() - self._began)
        try:
            code: int | None = self._process.wait(max(0.0, left))
        except subprocess.TimeoutExpired:
            self.kill()
            code = None
        self._stderr.seek(0)
        took = time.monotonic() - self._began
        return Ran("exited" if code is not None else "timed out", code, b"", self._stderr.read(), took)

    def kill(self) -> None:
        """See `Running.kill`."""
        self._process.kill()
        self._process.wait()


@contextmanager
def open_room(source: Path | None, *, limits: Limits | None = None, tools: Path | None = None) -> Iterator[BubblewrapRoom]:
    """A room with a copy of the files below `source`, or an empty one. `tools` (distributions) come onto PYTHONPATH.

    Raises NoRoom where this machine has none.
    """
    if shutil.which("bwrap") is None:
        raise NoRoom("there is no bubblewrap: apt-get install bubblewrap (or what your distribution calls it)")
    home = Path(tempfile.mkdtemp(prefix="flywheel-room-"))
    room = BubblewrapRoom(home, limits or Limits(), tools)
    try:
        home.chmod(0o711)
        (home / "python").mkdir()
        if source is None:
            room.tree.mkdir()
        else:
            shutil.copytree(source, room.tree, symlinks=True)
        if os.geteuid() == 0:
            for folder, _, files in os.walk(room.tree):
                for name in ("", *files):
                    os.chown(Path(folder, name), NOBODY, NOBODY, follow_symlinks=False)
        yield room
    finally:
        room.close()
