"""What a leak is: a secret put somewhere into a world, and a script that gets at it."""

import json
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from evals.cleanroom.history import NEUTRAL

Mode = Literal["copy", "in place", "plain"]
"""How a tree comes into a room: from a repository's objects, where it lies, or from a folder that is none."""
TRACKED: Final[tuple[Mode, ...]] = ("copy", "in place")
ANY: Final[tuple[Mode, ...]] = ("copy", "in place", "plain")

PACKAGE: Final = "acme"
WITHOUT: Final = '"""Answers."""\n\n\ndef answer():\n    raise NotImplementedError\n'
"""The module of the package from which the answer was cut."""


def fresh() -> str:
    """A secret that nobody knows."""
    return f"leak-{secrets.token_hex(16)}"


@dataclass
class World:
    """A developer's machine, small: a repository that knows no answer yet, and a home."""

    folder: Path
    secret: str = field(default_factory=fresh)
    """Of the leak that is planted next."""
    until: ExitStack = field(default_factory=ExitStack)
    """What a plant opens, closed with the world."""
    environment: dict[str, str] = field(default_factory=dict[str, str])
    """Of whoever opens the room, beside what it has."""
    known: dict[str, str] = field(default_factory=dict[str, str])
    """What a probe knows of a place beforehand: `<name>` in its text becomes the value."""
    descriptors: list[int] = field(default_factory=list[int])
    """Open in whoever opens the room, and made inheritable."""

    def __post_init__(self) -> None:
        self.repository = self.folder / "repository"
        self.home = self.folder / "home"
        self.home.mkdir(parents=True)
        self.made(self.repository)

    @property
    def answer(self) -> str:
        """The module as it was, with the answer."""
        return WITHOUT.replace("raise NotImplementedError", f"return {self.secret!r}")

    def made(self, folder: Path) -> Path:
        """A repository at `folder`, with one commit of the package without its answer."""
        self.write(folder / PACKAGE / "__init__.py", "")
        self.write(folder / PACKAGE / "core.py", WITHOUT)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Without an answer")
        return folder

    def write(self, path: Path, content: str | bytes) -> Path:
        """A file, with the folders above it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def commit(self, folder: Path, text: str, message: str = "Change") -> str:
        """Commit `text` as the package's module; the commit's hash."""
        self.write(folder / PACKAGE / "core.py", text)
        git(folder, "commit", "-q", "-a", "-m", message)
        return git(folder, "rev-parse", "HEAD")


class Leak(NamedTuple):
    """One way."""

    name: str
    group: Literal["history", "leftovers", "machine"]
    plant: Callable[[World], None]
    """Puts the secret into its place. Leaves the package's module in the work tree without it."""
    probe: str
    """A Python script that is run in the tree and prints what it finds; it knows the place, not the secret."""
    modes: tuple[Mode, ...]
    is_alone: bool = False
    """It can't share a world with others."""


def git(folder: Path, *words: str, stdin: str = "") -> str:
    """What git prints in `folder`, as nobody in particular. Raises CalledProcessError."""
    who = {f"GIT_{role}_{what}": "dev" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    neutral = {
        name: value for name, value in NEUTRAL.items() if name not in ("GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH")
    }
    ran = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=folder, input=stdin, capture_output=True, text=True, check=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), **neutral, **who},
    )  # fmt: skip
    return ran.stdout.strip()


RUNNER: Final = r"""
import json, os, sys
asked = json.load(sys.stdin)
os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
for number, probe in enumerate(asked['probes']):
    print(asked['mark'], number, flush=True)
    if os.fork() == 0:
        try: exec(probe, {'__name__': '__main__'})
        except BaseException as error: print(error)
        sys.stdout.flush()
        os._exit(0)
    os.wait()
    print(flush=True)
"""
"""Runs probes one after the other, each in a process of its own, and marks where the next one's output begins."""


def probes(leaks: Sequence[Leak], world: World) -> tuple[list[str], bytes, str]:
    """What to run, where Python is `python`, with what on its stdin; and the mark for `told`."""
    mark = fresh()
    texts = [re.sub("<([a-z ]+)>", lambda found: world.known[found[1]], leak.probe) for leak in leaks]
    return ["-c", RUNNER], json.dumps({"probes": texts, "mark": mark}).encode(), mark


def told(output: bytes, mark: str) -> list[bytes]:
    """What each probe has printed."""
    return [part.partition(b"\n")[2] for part in output.split(f"{mark} ".encode())[1:]]


def controls(planted: Sequence[tuple[Leak, str]], world: World) -> dict[str, bool]:
    """By the name of each leak: whether its probe finds its secret without a room, as a child of whoever would have
    opened one.
    """
    python = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    words, stdin, mark = probes([leak for leak, _ in planted], world)
    ran = subprocess.run(
        [str(python), *words], input=stdin, cwd=world.repository,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, close_fds=False, timeout=60,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(world.home), "LANG": "C.UTF-8", **world.environment},
    )  # fmt: skip
    outputs = told(ran.stdout, mark)
    return {leak.name: secret.encode() in output for (leak, secret), output in zip(planted, outputs, strict=True)}
