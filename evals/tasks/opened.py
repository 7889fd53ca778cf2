"""The room of a task: its tree as an agent gets it, and its tools. For persons and for agents alike."""

import os
import select
import shlex
import sys
import tempfile
import termios
import tty
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evals.cleanroom import Limits
from evals.cleanroom.bubblewrap import BubblewrapRoom, open_room
from evals.cleanroom.network import Network
from evals.cleanroom.room import Room
from evals.cleanroom.tools import tools
from evals.tasks.folder import Parts, contents, lay


@contextmanager
def opened(parts: Parts, limits: Limits | None = None) -> Generator[BubblewrapRoom]:
    """A room with the tree of a task, without network; what tries to reach one is told.

    Raises NoRoom where this machine has none.
    """
    with tempfile.TemporaryDirectory(prefix="flywheel-task-") as made:
        place = Path(made)
        place.chmod(0o711)
        lay(contents(parts.tree), place / "tree")
        site = tools(parts.task.tools, place / "site", but_not=[parts.task.package])
        with open_room(place / "tree", limits=limits or Limits(), tools=site, network=Network()) as room:
            yield room


def person(room: Room, words: Sequence[str]) -> int:
    """Let a person work in `room` with the program `words`, on a terminal of its own; its exit status.

    Where standard input is no terminal, it is what the program reads, and no more is shown than what it prints.
    """
    if not sys.stdin.isatty():
        ran = room.run(words, stdin=sys.stdin.buffer.read())
        sys.stdout.buffer.write(ran.stdout)
        sys.stderr.buffer.write(ran.stderr)
        sys.stdout.flush()
        return ran.code if ran.code is not None else 1
    running = room.start(["script", "-qefc", shlex.join(words), "/dev/null"])
    keyboard, came = sys.stdin.fileno(), running.stdout.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard)
        while True:
            ready, _, _ = select.select([keyboard, came], [], [])
            if came in ready:
                said = os.read(came, 65_536)
                if not said:
                    break
                os.write(sys.stdout.fileno(), said)
            if keyboard in ready:
                running.stdin.write(os.read(keyboard, 65_536))
                running.stdin.flush()
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    ran = running.wait()
    return ran.code if ran.code is not None else 1
