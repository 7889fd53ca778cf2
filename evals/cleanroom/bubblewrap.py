"""A room of bubblewrap: boxes (`box`) of namespaces, a filter of system calls and limits around one tree.

Every command has a box to itself while it runs, so that all it has started can be killed with it; a command that
follows another takes its box over, which costs a fork instead of a box. Boxes of a room share the tree, /tmp, the
home and the control group; each has its own network, processes and shared memory.
"""

import os
import resource
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from evals.cleanroom import cgroups, launch, walls
from evals.cleanroom.box import Box
from evals.cleanroom.command import Command, Started
from evals.cleanroom.disk import Disk
from evals.cleanroom.home import hand_over, home_of_a_room
from evals.cleanroom.network import INDEX, Denied, Network
from evals.cleanroom.proxy import Proxy
from evals.cleanroom.room import WORK, Limits, NoRoom, Ran
from evals.cleanroom.trees import taken_in

PYTHON = Path(sys.base_prefix)
"""The prefix of the interpreter that runs this: bound to its own path, since a shared libpython is found by it."""
SITE = walls.SITE
SHARED_MB = 64
"""Of /dev/shm, in each box."""


class BubblewrapRoom:
    """`evals.cleanroom.Room` by bubblewrap. Made by `open_room`."""

    def __init__(  # noqa: PLR0917
        self, home: Path, tree: Path, limits: Limits, python: Path, tools: Path | None, also: Sequence[Path],
        who: launch.Owner, network: Network | None,
    ) -> None:  # fmt: skip
        self.tree = tree
        self.denied: list[Denied] = []
        self._proxy = Proxy(network.allow, self.denied.append, network.packages, network.resolve) if network else None
        self._has_index = network is not None and network.packages is not None
        self._home, self._limits, self._python, self._tools, self._who = home, limits, python, tools, who
        self._group = cgroups.group(limits.memory_mb, limits.processes)
        near, self._mounts = launch.brought_near(walls.binds(home, tree, python, tools, also), who, home / "near")
        self._shown = near
        self._disk = Disk((tree, home / "tmp", home / "agent"), limits.disk_mb, self._processes)
        self._lock = threading.Lock()
        self._idle: list[Box] = []
        self._boxes: set[Box] = set()
        self._started: list[Started] = []

    def run(
        self, command: Sequence[str], *, stdin: bytes = b"", env: Mapping[str, str] | None = None,
        seconds: float | None = None, cwd: str = WORK,
    ) -> Ran:  # fmt: skip
        """See `Room.run`."""
        at_work = self._begin(command, env or {}, seconds or self._limits.seconds, cwd)
        return at_work.attend((at_work.stdout_fd, at_work.stderr_fd), stdin)

    def start(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str = WORK) -> Started:
        """See `Room.start`."""
        started = Started(self._begin(command, env or {}, self._limits.seconds, cwd))
        self._started.append(started)
        return started

    def warm(self) -> None:
        """Have a box ready. Raises NoRoom where none can be had."""
        self._give_back(self._take(), True)

    def close(self) -> None:
        """See `Room.close`. Streams of commands that were started are closed."""
        for started in self._started:
            started.close()
        with self._lock:
            boxes, self._boxes, self._idle = self._boxes, set(), []
        for box in boxes:
            box.close()
        if self._proxy:
            self._proxy.close()
        if self._group:
            self._group.remove()

    def _begin(self, command: Sequence[str], env: Mapping[str, str], seconds: float, cwd: str) -> Command:
        while True:
            box = self._take()
            request = {
                "argv": list(command), "env": self._settings(box.port) | dict(env), "cwd": cwd, "seconds": seconds,
                "limits": self._rlimits(), "memory": None if self._group else self._limits.memory_mb << 20,
            }  # fmt: skip
            try:
                return Command(box, request, self._limits, self._disk, self._group, partial(self._give_back, box))
            except ConnectionError:  # it was killed from outside since its last command: the next one is new
                self._give_back(box, False)

    def _settings(self, port: int | None) -> dict[str, str]:
        """Environment of every command."""
        settings = {
            "PATH": f"{walls.ROOM}:{self._python}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": walls.AGENT,
            "USER": "agent", "LANG": "C.UTF-8", "TMPDIR": "/tmp", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        if port is not None:
            way = f"http://127.0.0.1:{port}"
            settings |= dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), way)
            settings |= dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1")
        if self._has_index:
            settings |= dict.fromkeys(("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), f"http://{INDEX}/simple/")
            settings |= dict.fromkeys(("PIP_TRUSTED_HOST", "UV_INSECURE_HOST"), INDEX)
        return settings | ({"PYTHONPATH": SITE} if self._tools else {})

    def _rlimits(self) -> dict[str, int]:
        """Of every process: always size of files and core dumps, and what no control group holds."""
        limits = {"RLIMIT_FSIZE": self._limits.file_mb << 20, "RLIMIT_CORE": 0}
        if not self._group:
            limits |= {"RLIMIT_NPROC": self._limits.processes, "RLIMIT_DATA": self._limits.memory_mb << 20}
        for name in limits:
            _, hard = resource.getrlimit(getattr(resource, name))
            if hard != resource.RLIM_INFINITY:
                limits[name] = min(limits[name], hard)
        return limits

    def _take(self) -> Box:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        box = Box(self._words)
        if self._proxy:
            self._proxy.serve(box.listening())
        with self._lock:
            self._boxes.add(box)
        return box

    def _give_back(self, box: Box, alive: bool) -> None:
        with self._lock:
            if alive and box in self._boxes:
                self._idle.append(box)
                return
            self._boxes.discard(box)
        box.close()

    def _processes(self) -> list[int]:
        with self._lock:
            return [process for box in self._boxes for process in box.processes()]

    def _words(self, filter_fd: int, control_fd: int) -> list[str]:
        inner = walls.arguments(self._shown, self._python, filter_fd, control_fd, SHARED_MB)
        return launch.words(inner, self._who, self._group.joined_by if self._group else (), self._mounts)


@contextmanager
def open_room(
    source: Path | None, *, limits: Limits | None = None, tools: Path | None = None, python: Path = PYTHON,
    also: Sequence[Path] = (), network: Network | None = None,
) -> Generator[BubblewrapRoom]:  # fmt: skip
    """A room with a copy of the files below `source`, or an empty one.

    `tools` (`evals.cleanroom.tools`) come onto PYTHONPATH; `python` is the prefix of the interpreter; folders in
    `also` are shown, read-only, where they lie; without a `network` there is none, and no attempt is told. Raises
    NoRoom where this machine has none, and BadTree where `source` can't be copied.
    """
    walls.options()
    with home_of_a_room() as home:
        tree = home / "work"
        if source is None:
            tree.mkdir()
        else:
            taken_in(source, tree, (limits or Limits()).disk_mb)
        who = launch.owner()
        hand_over(tree, who)
        with _opened(home, tree, limits, python, tools, also, who, network) as room:
            yield room


@contextmanager
def open_room_at(
    tree: Path,
    *,
    limits: Limits | None = None,
    tools: Path | None = None,
    python: Path = PYTHON,
    also: Sequence[Path] = (),
    network: Network | None = None,
) -> Generator[BubblewrapRoom]:
    """A room whose tree is `tree` itself, worked in by its owner. Root's own is worked in by nobody, in the sense of
    the user of that name: see `evals.cleanroom.in_place`, which also takes away what must not be seen in it.

    Raises NoRoom where this machine has none, or where `tree` is somebody else's.
    """
    walls.options()
    found = tree.stat()
    who = launch.owner() if launch.is_root() and found.st_uid == 0 else launch.Owner(found.st_uid, found.st_gid)
    if os.geteuid() not in (0, who.uid):
        raise NoRoom(f"{tree} belongs to user {found.st_uid}: a room at it is opened by that user, or by root")
    with home_of_a_room() as home, _opened(home, tree, limits, python, tools, also, who, network) as room:
        yield room


@contextmanager
def _opened(  # noqa: PLR0917
    home: Path, tree: Path, limits: Limits | None, python: Path, tools: Path | None, also: Sequence[Path],
    who: launch.Owner, network: Network | None,
) -> Generator[BubblewrapRoom]:  # fmt: skip
    walls.furnish(home, python)
    for name in ("tmp", "agent"):
        hand_over(home / name, who)
    room = BubblewrapRoom(home, tree, limits or Limits(), python, tools, also, who, network)
    try:
        room.warm()
        yield room
    finally:
        room.close()
