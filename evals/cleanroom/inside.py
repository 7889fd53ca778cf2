"""Process 1 of a room: it runs one command after the other, each to its end or its limit, and kills what is left.

    python -I -S inside.py FD

It is put into the room as a file and needs the standard library alone. FD is a socket to whoever opened the room. A
message `run` comes with stdin, stdout, stderr and a file with the request (JSON: argv, env, cwd, seconds, limits by
RLIMIT name, memory in bytes or null); one answer (JSON: ended, code) follows. `kill` ends the command at work. `listen`
is answered with the port, and the descriptor, of a socket on this network's loopback: the network here is the room's
own, whoever accepts the connections need not be.

As process 1 it can't be signalled from inside, and all orphans are its children; as one that may not be dumped it can't
be looked into either. When the socket closes it ends, and the kernel ends all others with it: no room outlives its
opener.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

GLANCE = 0.1
"""Seconds between two looks at the memory of all, where no control group holds it."""
PAGE = os.sysconf("SC_PAGE_SIZE")
DUMPABLE = 4
"""PR_SET_DUMPABLE of prctl."""


class Command:
    """A command at work."""

    def __init__(self, request: dict[str, Any], streams: list[int]) -> None:
        self.ended = "exited"
        self.deadline = time.monotonic() + request["seconds"]
        self.memory: int | None = request["memory"]
        self.leader = os.fork()
        if self.leader == 0:
            become(request, streams)

    def left(self) -> float:
        """Seconds until something is to be looked at."""
        left = max(0.0, self.deadline - time.monotonic())
        return min(left, GLANCE) if self.memory else left

    def look(self) -> None:
        """End it where a limit says so."""
        if time.monotonic() >= self.deadline:
            self.end("timed out")
        elif self.memory and resident() > self.memory:
            self.end("out of memory")

    def end(self, why: str) -> None:
        """Kill everything in the room but this process."""
        if self.ended == "exited":
            self.ended = why
        kill_all()


def become(request: dict[str, Any], streams: list[int]) -> NoReturn:
    """Turn into the command."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for number, stream in enumerate(streams[:3]):
            os.dup2(stream, number)
        os.closerange(3, 64)
        ctypes.CDLL(None).prctl(DUMPABLE, 1, 0, 0, 0)  # else its own /proc is closed to it
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("900")  # sooner than process 1
        for name, most in request["limits"].items():
            resource.setrlimit(getattr(resource, name), (most, most))
        os.chdir(request["cwd"])
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except OSError as error:
        os.write(2, f"{request['argv'][0]}: {error.strerror}\n".encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    finally:
        os._exit(126)


def resident() -> int:
    """Bytes of memory that all processes but this one hold by themselves."""
    total = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and process.name != "1":
            with contextlib.suppress(OSError):
                _, held, shared, *_ = map(int, (process / "statm").read_text().split())
                total += (held - shared) * PAGE
    return total


def kill_all() -> None:
    """Kill everything in the room but this process: at once, so that nothing can fork away."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def collected(leader: int | None) -> int | None:
    """Take in who has ended: the status of `leader`, if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                break
            if process == leader:
                found = os.waitstatus_to_exitcode(status)
    return found


def alone() -> None:
    """Kill all others, and wait until they are gone."""
    kill_all()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
            kill_all()


def listen(control: socket.socket) -> None:
    """Hand out a socket that commands in here can connect to."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        told = json.dumps({"port": server.getsockname()[1]}).encode()
        socket.send_fds(control, [told], [server.fileno()])


def woken(number: int, frame: object) -> None:
    """A child has ended: a signal that is handled wakes `poll`."""


def serve(control: socket.socket) -> NoReturn:
    """Answer until the socket closes."""
    wake, poke = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, woken)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    command: Command | None = None
    while True:
        for ready, _ in poll.poll(1000 * command.left() + 1 if command else None):
            if ready == wake:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake, 4096)
                continue
            message, streams, _, _ = socket.recv_fds(control, 64, 8)
            if not message:
                os._exit(0)
            elif message == b"listen":
                listen(control)
            elif message == b"run":
                with open(streams[3], "rb", closefd=False) as request:
                    command = Command(json.load(request), streams)
            elif command:  # `kill`; where it comes too late, the answer is on its way
                command.end("killed")
            for stream in streams:
                os.close(stream)
        code = collected(command.leader if command else None)
        if command and code is None:
            command.look()
        elif command:
            alone()
            control.send(json.dumps({"ended": command.ended, "code": code}).encode())
            command = None


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)
    with socket.socket(fileno=int(sys.argv[1])) as opener:
        opener.set_inheritable(False)
        opener.send(b"ready")
        serve(opener)
