"""Every leak, tried without a room and in one."""

import json
import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, get_args

from evals.cleanroom.bubblewrap import BubblewrapRoom, open_room, open_room_at
from evals.cleanroom.copy import clean_copy
from evals.cleanroom.in_place import moved_away
from evals.cleanroom.leaks import history, leftovers, machine, networks
from evals.cleanroom.leaks.leak import PACKAGE, Leak, Mode, World, controls, fresh, probes, told

LEAKS: Final = (*history.LEAKS, *leftovers.LEAKS, *machine.LEAKS, *networks.LEAKS)
DECLARED: Final = ("search of the web by the model's provider",)
"""No room can see these: what answers outside of it may look things up by itself. A spec has to say whether it may."""

SEARCH: Final = r"""
import json, os, subprocess, sys, zlib
secrets = json.load(sys.stdin)
def look(path):
    try:
        content = open(path, 'rb').read()
    except OSError:
        return
    told(path, content + unpacked(content))
def told(path, content):
    for secret in secrets:
        if secret.encode() in content: print(secret, path)
def unpacked(content):
    try: return zlib.decompress(content)
    except zlib.error: return b''
for top in ('/work', '/tmp', '/home', '/opt', '/run', '/etc', '/var', '/dev/shm'):
    for folder, folders, files in os.walk(top):
        for name in files:
            if os.path.isfile(os.path.join(folder, name)): look(os.path.join(folder, name))
        if '.git' in folders:
            every = ['git', '-C', folder, 'cat-file', '--batch-all-objects', '--batch']
            told(folder + '/.git', subprocess.run(every, capture_output=True).stdout)
for name in ('environ', 'cmdline', 'mountinfo'): look('/proc/self/' + name)
"""
"""Looks for a secret that it knows in all that a room has of its own: more than any probe does."""


class Row(NamedTuple):
    """What became of a leak."""

    leak: Leak
    mode: Mode
    found_without: bool
    """The control: it has to be."""
    found_inside: bool
    """By the same probe, or by a search for the secret through the whole room."""


def batches() -> list[list[Leak]]:
    """All leaks, in groups that can share a world."""
    together = [
        [leak for leak in leaks if not leak.is_alone]
        for leaks in (history.LEAKS, leftovers.LEAKS, (*machine.LEAKS, *networks.LEAKS))
    ]
    return [*together, *([leak] for leak in LEAKS if leak.is_alone)]


def tried(leaks: Sequence[Leak], folder: Path) -> list[Row]:
    """Plant `leaks` in one world at the new folder `folder`, each with a secret of its own, and probe, in each of their
    modes. A leak that this machine can't have has no row.
    """
    world = World(folder)
    with world.until:
        planted = plant(leaks, world)
        without = controls(planted, world)
        rows: list[Row] = []
        for mode in get_args(Mode):
            those = [(leak, secret) for leak, secret in planted if mode in leak.modes]
            found = inside(those, world, mode) if those else set[str]()
            rows += [Row(leak, mode, without[leak.name], leak.name in found) for leak, _ in those]
        return rows


def plant(leaks: Sequence[Leak], world: World) -> list[tuple[Leak, str]]:
    """Those of `leaks` that this machine can have, planted, with the secret of each."""
    planted: list[tuple[Leak, str]] = []
    for leak in leaks:
        world.secret = fresh()
        with suppress(machine.NotHere):
            leak.plant(world)
            planted.append((leak, world.secret))
    return planted


def inside(planted: Sequence[tuple[Leak, str]], world: World, mode: Mode) -> set[str]:
    """Names of the leaks whose secret is found in a room, by their probes or by a search."""
    if mode == "plain":
        (world.repository / ".git").rename(world.folder / "forgotten")
    words, stdin, mark = probes([leak for leak, _ in planted], world)
    with opened(world, mode) as room:
        probed = room.run(["python", *words], stdin=stdin)
        searched = room.run(["python", "-c", SEARCH], stdin=json.dumps([secret for _, secret in planted]).encode())
    if not probed.ok or not searched.ok:
        raise RuntimeError(f"{probed.ended}, {searched.ended}: {(probed.stderr + searched.stderr).decode()[-500:]}")
    outputs = told(probed.stdout, mark)
    return {
        leak.name
        for (leak, secret), output in zip(planted, outputs, strict=True)
        if any(secret.encode() in text for text in (output, probed.stderr, searched.stdout))
    }


@contextmanager
def opened(world: World, mode: Mode) -> Generator[BubblewrapRoom]:
    """A room for the world's tree, opened by somebody with the world's environment."""
    before = dict(os.environ)
    os.environ.update(world.environment)
    with ExitStack() as stack:
        stack.callback(os.environ.update, before)
        stack.callback(os.environ.clear)
        if mode == "in place":
            stack.enter_context(moved_away(world.repository, package=PACKAGE))
            yield stack.enter_context(open_room_at(world.repository))
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="room-")), "tree")
            clean_copy(world.repository, folder, package=PACKAGE)
            yield stack.enter_context(open_room(folder))
