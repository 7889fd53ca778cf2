"""A command at work in a box: its streams are read and written, and it is ended where it goes beyond what it may."""

import os
import selectors
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, Any, Final

from evals.cleanroom.box import Box
from evals.cleanroom.cgroups import Group
from evals.cleanroom.disk import Disk
from evals.cleanroom.room import Ended, Limits, Ran

GLANCE: Final = 0.05
"""Seconds between two looks at the disk."""
LATE: Final = 5.0
"""Seconds after which a box that should have ended a command is itself ended."""
CHUNK: Final = 1 << 16


class Command:
    """One command. `on_end` is told, once, whether the box can take another. Raises OSError where it can't take this
    one."""

    def __init__(  # noqa: PLR0917
        self, box: Box, request: Mapping[str, Any], limits: Limits, disk: Disk, group: Group | None,
        on_end: Callable[[bool], None],
    ) -> None:  # fmt: skip
        self._box, self._limits, self._disk, self._group, self._on_end = box, limits, disk, group, on_end
        disk.rest()
        self._killed_before = group.killed() if group else 0
        self._began = time.monotonic()
        self._latest = self._began + request["seconds"] + LATE
        self._why: Ended | None = None
        self._buffers: dict[int, bytearray] = {}
        inner_in, self.stdin_fd = os.pipe()
        self.stdout_fd, inner_out = os.pipe()
        self.stderr_fd, inner_err = os.pipe()
        try:
            box.send(request, (inner_in, inner_out, inner_err))
        except OSError:
            for stream in (self.stdin_fd, self.stdout_fd, self.stderr_fd):
                os.close(stream)
            raise
        finally:
            for stream in (inner_in, inner_out, inner_err):
                os.close(stream)

    def kill(self, why: Ended = "killed") -> None:
        """End it."""
        self._why = self._why or why
        self._box.kill()

    def attend(self, outputs: tuple[int, ...], stdin: bytes | None) -> Ran:
        """Read `outputs` to their ends, write `stdin` (None: somebody else does), and come back once it has ended."""
        self._buffers = {stream: bytearray() for stream in outputs}
        answer: dict[str, Any] | None = None
        with selectors.DefaultSelector() as waiting:
            for stream in outputs:
                os.set_blocking(stream, False)
                waiting.register(stream, selectors.EVENT_READ)
            waiting.register(self._box.control, selectors.EVENT_READ)
            if stdin:
                os.set_blocking(self.stdin_fd, False)
                waiting.register(self.stdin_fd, selectors.EVENT_WRITE)
            elif stdin is not None:
                os.close(self.stdin_fd)
            unsent = memoryview(stdin or b"")
            looked, ended_at = self._began, 0.0
            while waiting.get_map() and not (ended_at and time.monotonic() > ended_at + 1.0):
                if self._box.is_closed:
                    break
                for key, _ in waiting.select(GLANCE):
                    if key.fileobj is self._box.control:
                        answer, ended_at = self._box.answer(), time.monotonic()
                        waiting.unregister(self._box.control)
                        if unsent:
                            waiting.unregister(self.stdin_fd)
                            os.close(self.stdin_fd)
                            unsent = memoryview(b"")
                    elif key.fd == self.stdin_fd:
                        if unsent and not (unsent := unsent[_written(key.fd, unsent) :]):
                            waiting.unregister(key.fd)
                            os.close(key.fd)
                    elif self._read(key.fd):
                        waiting.unregister(key.fd)
                if not ended_at and (now := time.monotonic()) >= looked + GLANCE:
                    looked = now
                    self._look(now)
        return self._ran(answer)

    def _read(self, stream: int) -> bool:
        """Take in what is there; whether that was the end. What is beyond the limit is read and dropped."""
        try:
            chunk = os.read(stream, CHUNK)
        except BlockingIOError:
            return False
        buffer, most = self._buffers[stream], self._limits.output_mb << 20
        buffer += chunk[: most - len(buffer)]
        if len(chunk) and len(buffer) >= most:
            self.kill("too much output")
        return not chunk

    def _look(self, now: float) -> None:
        if self._why is None and self._disk.is_full():
            self.kill("out of disk")
        if now > self._latest:
            self._why = self._why or "timed out"
            self._box.destroy()

    def _ran(self, answer: dict[str, Any] | None) -> Ran:
        took = time.monotonic() - self._began
        out, err = (bytes(self._buffers.get(stream, b"")) for stream in (self.stdout_fd, self.stderr_fd))
        for stream in self._buffers:
            os.close(stream)
        starved = self._group is not None and self._group.killed() > self._killed_before
        self._on_end(answer is not None)
        ended: Ended = answer["ended"] if answer else "killed"
        code: int | None = answer["code"] if answer else None
        if ended == "killed":
            ended = self._why or "killed"  # by the room itself, or with the box
        if starved and code != 0:
            ended = "out of memory"
        return Ran(ended, code if ended == "exited" else None, out, err, took)


def _written(stream: int, content: memoryview) -> int:
    """How much of `content` `stream` has taken: all of it where nobody reads any more."""
    try:
        return os.write(stream, content[:CHUNK])
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(content)


class Started:
    """`evals.cleanroom.Running`: a command whose stdin and stdout are the caller's."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self.stdin: IO[bytes] = os.fdopen(command.stdin_fd, "wb", buffering=0)
        self.stdout: IO[bytes] = os.fdopen(command.stdout_fd, "rb")
        self._ran: Ran | None = None
        self._thread = threading.Thread(target=self._attend, name="room-command", daemon=True)
        self._thread.start()

    def _attend(self) -> None:
        self._ran = self._command.attend((self._command.stderr_fd,), None)

    def wait(self, seconds: float | None = None) -> Ran:
        """See `Running.wait`."""
        self._thread.join(seconds)
        if self._ran is None:
            self._command.kill("timed out")
            self._thread.join()
        self.stdin.close()
        assert self._ran
        return self._ran

    def kill(self) -> None:
        """See `Running.kill`."""
        self._command.kill()
        self._thread.join()

    def close(self) -> None:
        """End it, and close what it was heard by."""
        self.kill()
        self.stdin.close()
        self.stdout.close()
