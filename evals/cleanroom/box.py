"""One set of walls with process 1 in it: takes a command at a time. A room has as many as it has commands at once."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evals.cleanroom.room import NoRoom
from evals.cleanroom.seccomp import program

START: Final = 20.0
"""Seconds after which a box that does not answer will not come."""

Words = Callable[[int, int], list[str]]
"""(descriptor of the filter, descriptor of the control socket) -> what to start."""


class Box:
    """Started walls. Raises NoRoom, with what bubblewrap says, where they can't be raised."""

    def __init__(self, words: Words) -> None:
        self.port: int | None = None
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, _file(program()) as filtered, tempfile.TemporaryFile() as said:
            command = words(filtered.fileno(), theirs.fileno())
            kept = (filtered.fileno(), theirs.fileno())
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=kept
                )
            except FileNotFoundError as error:
                self.control.close()
                raise NoRoom(
                    f"{error.filename} is missing, which starts rooms here: apt-get install util-linux"
                ) from error
            theirs.close()
            self.control.settimeout(START)
            try:
                answer = self.control.recv(64)
            except TimeoutError:
                answer = b""
            if answer != b"ready":
                self.close()
                said.seek(0)
                raise NoRoom(why_not(said.read().decode(errors="replace").strip()))
        self.control.settimeout(None)

    def send(self, request: Mapping[str, Any], streams: Sequence[int]) -> None:
        """Start a command. Raises ConnectionError where the box is gone."""
        with _file(json.dumps(request).encode()) as told:
            socket.send_fds(self.control, [b"run"], [*streams, told.fileno()])

    def answer(self) -> dict[str, Any] | None:
        """How the command ended, once `control` has something to read; None: the box itself did."""
        try:
            told = self.control.recv(4096)
        except OSError:
            return None
        return json.loads(told) if told else None

    def kill(self) -> None:
        """End the command at work, if there is one."""
        with contextlib.suppress(OSError):
            self.control.send(b"kill")

    def listening(self) -> socket.socket:
        """A socket that listens on `port` of the loopback inside: whoever has it can accept from outside."""
        self.control.send(b"listen")
        told, descriptors, _, _ = socket.recv_fds(self.control, 256, 1)
        self.port = json.loads(told)["port"]
        return socket.socket(fileno=descriptors[0])

    def processes(self) -> list[int]:
        """All that run in it, by their numbers outside."""
        found = _children(self._process.pid)
        for process in found:
            found += _children(process)
        return found

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self.control.fileno() < 0

    def destroy(self) -> None:
        """Kill it, where it does not listen."""
        for process in (*self.processes(), self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def close(self) -> None:
        """End it, and with it all that is inside."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_RDWR)  # also for whoever waits for an answer meanwhile
        self.control.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.destroy()
            self._process.wait()


def _children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def _file(content: bytes) -> Any:
    """A file without a name that holds `content`, to be handed over."""
    file = os.fdopen(os.memfd_create("room"), "w+b")
    file.write(content)
    file.flush()
    file.seek(0)
    return file


def why_not(said: str) -> str:
    """What a person can do about what bubblewrap `said`."""
    lowered = said.lower()
    if "namespace" in lowered or "uid map" in lowered or "operation not permitted" in lowered:
        return (
            f"the kernel lets nobody make a room here ({said}). User namespaces have to be allowed: "
            "sysctl user.max_user_namespaces (not 0), kernel.unprivileged_userns_clone=1 (Debian), "
            "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), and in a container a seccomp profile that lets "
            "unshare and mount through"
        )
    return f"bubblewrap made no room: {said or 'it said nothing'}"
