"""What a room is: where a tree lies that commands work on, under limits, and with nothing else within reach.

`evals.cleanroom.bubblewrap` is the first; a container runtime can be a second one. Left out: what is in the tree
(`evals.cleanroom.copy`), and who works in it (`evals.agents`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from evals.cleanroom.network import Denied
from models.errors import TerminalError

WORK = "/work"
"""Where the tree lies inside."""

Ended = Literal["exited", "timed out", "out of memory", "too much output", "out of disk", "killed"]
"""`exited` by itself, whatever its code; all others by a limit, or from outside."""


class NoRoom(TerminalError):
    """No room can be had on this machine; says what is missing and how to get it."""


class Limits(BaseModel):
    """What a room may use."""

    model_config = ConfigDict(frozen=True)

    seconds: float = Field(default=600.0, gt=0)
    """Of each command, wall clock."""
    memory_mb: int = Field(default=2048, gt=0)
    """Of all processes together."""
    processes: int = Field(default=128, gt=0)
    file_mb: int = Field(default=512, gt=0)
    """Of one file."""
    disk_mb: int = Field(default=2048, gt=0)
    """Of all that is written, tree and temporary files together."""
    output_mb: int = Field(default=16, gt=0)
    """Of what a command prints, on either stream."""


class Ran(NamedTuple):
    """A command that ended."""

    ended: Ended
    code: int | None
    """Exit status, or less than 0: the signal. None where a limit ended it."""
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def ok(self) -> bool:
        """It exited by itself, with 0."""
        return self.ended == "exited" and self.code == 0


class Running(Protocol):
    """A command that is at work."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def wait(self, seconds: float | None = None) -> Ran:
        """Wait until it ends, or `seconds` (by default what is left of the limit) are over: then it is killed.

        `stdout` of the answer is empty: it was read by whoever reads `self.stdout`.
        """
        ...

    def kill(self) -> None:
        """End it, and all that it has started."""
        ...


class Room(Protocol):
    """An open room. Leave its `with` block, or `close`, and nothing is left of it but what `tree` was copied from."""

    tree: Path
    """On this side of the wall: what lies in WORK. Commands inside write to it: trust no symbolic link in it."""
    denied: list[Denied]
    """Attempts to reach somebody that were refused, as they happen."""

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        cwd: str = WORK,
    ) -> Ran:
        """Run `command` to its end, and kill what it leaves behind. `env` is added to the room's own few variables."""
        ...

    def start(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str = WORK) -> Running:
        """Start `command`, whose standard streams stay open to the caller (stderr is kept for `Ran`)."""
        ...

    def close(self) -> None:
        """Kill all, and remove all."""
        ...
