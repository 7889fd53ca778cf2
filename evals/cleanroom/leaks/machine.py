"""What else is on a machine: its processes, its memory, its homes, its other Pythons. Who can be reached:
`networks`."""

import ctypes
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evals.cleanroom.leaks.leak import PACKAGE, Leak, World
from evals.cleanroom.leaks.leftovers import wheel

ENVIRONMENT: Final = "import os; print(dict(os.environ))"
PROCESSES: Final = """
import pathlib
for process in pathlib.Path('/proc').glob('[0-9]*'):
    for name in ('{name}',):
        try: print((process / name).read_bytes())
        except OSError: pass
"""
DESCRIPTORS: Final = """
import os
for number in range(3, 256):
    try:
        os.lseek(number, 0, 0); print(os.read(number, 1 << 16))
    except OSError: pass
"""


def imported(module: str) -> str:
    """A probe that prints the source of a module that is installed."""
    return (
        "import importlib, inspect, sys\nsys.path.remove('')\n"
        f"print(inspect.getsource(importlib.import_module({module!r})))\n"
    )


def read(*places: str) -> str:
    """A probe that prints the files that `places` (relative to the home, or absolute) match."""
    return (
        "import glob, os\n"
        f"for place in {places!r}:\n"
        "    for path in glob.glob(os.path.expanduser(os.path.join('~', place)), recursive=True):\n"
        "        if os.path.isfile(path): print(open(path, 'rb').read())\n"
    )


def zipped(place: str) -> str:
    """A probe that prints what is in the wheels at `place`."""
    return (
        "import glob, os, zipfile\n"
        f"for path in glob.glob(os.path.expanduser({place!r}), recursive=True):\n"
        "    opened = zipfile.ZipFile(path); print([opened.read(name) for name in opened.namelist()])\n"
    )


def at_home(path: str) -> Callable[[World], None]:
    """A plant: the answer in a file of the developer's home."""

    def plant(world: World) -> None:
        world.write(world.home / path, world.answer)

    return plant


def environment(world: World) -> None:
    """In a variable of whoever opens the room."""
    world.environment["ACME_ANSWER"] = world.secret


def descriptor(world: World) -> None:
    """In a file that whoever opens the room has open."""
    number = os.open(world.write(world.folder / "open", world.answer), os.O_RDONLY)
    os.set_inheritable(number, True)
    world.descriptors.append(number)
    world.until.callback(os.close, number)


def sleeping(world: World, *words: str, **named: str) -> None:
    """Another process of the machine, which has been started when this comes back."""
    (world.folder / "elsewhere").mkdir(exist_ok=True)
    command = [sys.executable, "-I", "-S", "-c", "import sys; print(1, flush=True); sys.stdin.read()", *words]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **named},
        cwd=world.folder / "elsewhere",
    )
    world.until.enter_context(process)
    assert process.stdin and process.stdout
    world.until.callback(process.stdin.close)
    process.stdout.readline()


def command_line(world: World) -> None:
    """In the words of another process."""
    sleeping(world, world.secret)


def others_environment(world: World) -> None:
    """In the environment of another process."""
    sleeping(world, ANSWER=world.secret)


def others_folder(world: World) -> None:
    """In the working folder of another process."""
    world.write(world.folder / "elsewhere/working.txt", world.answer)
    sleeping(world)


def shared_file(world: World) -> None:
    """In shared memory that has a name."""
    path = world.write(Path("/dev/shm", f"acme-{os.getpid()}"), world.answer)
    world.until.callback(path.unlink)


def shared_segment(world: World) -> None:
    """System V shared memory, under a key that both know."""
    key = 0x41430000 + os.getpid() % 0x10000
    world.known["key of a segment"] = str(key)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(key, 4096, 0o1666)
    where = ctypes.c_void_p(libc.shmat(number, None, 0))
    ctypes.memmove(where, world.secret.encode(), len(world.secret))
    libc.shmdt(where)
    world.until.callback(libc.shmctl, number, 0, None)


SEGMENT: Final = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
number = libc.shmget(<key of a segment>, 0, 0)
if number >= 0: print(ctypes.string_at(libc.shmat(number, None, 0o10000), 64))
"""


def temporary(world: World) -> None:
    """In a temporary file."""
    path = world.write(Path("/var/tmp", f"acme-{os.getpid()}"), world.answer)
    world.until.callback(path.unlink)


def user_site(world: World) -> Path:
    """Where Python looks for what a user has installed for themselves."""
    return world.home / f".local/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


def installed(world: World) -> None:
    """The package, installed for one user."""
    world.write(user_site(world) / PACKAGE / "__init__.py", "")
    world.write(user_site(world) / PACKAGE / "core.py", world.answer)


def editable(world: World) -> None:
    """Another package of the developer's, with the answer in it, as installed: a path to where its source is."""
    world.write(world.folder / "original" / "acme_dev.py", world.answer)
    world.write(user_site(world) / "__editable__.acme.pth", f"{world.folder / 'original'}\n")


def cached_wheel(path: str) -> Callable[[World], None]:
    """A plant: the package's wheel, below the developer's home."""

    def plant(world: World) -> None:
        world.write(world.home / path / f"{PACKAGE}-1.0-py3-none-any.whl", wheel(world))

    return plant


def of_the_interpreter(world: World) -> None:
    """A distribution that lies beside the interpreter: its first module of some length is the secret."""
    folders = [Path(place) for place in sorted(Path(sys.base_prefix, "lib").glob("python3*/site-packages"))]
    world.secret = _a_line(folders)


def of_the_system(world: World) -> None:
    """The same of what the system brings for itself."""
    world.secret = _a_line(
        [*Path("/usr/lib").glob("python3*/dist-packages"), *Path("/usr/lib").glob("python3*/site-packages")]
    )


def _a_line(folders: list[Path]) -> str:
    for folder in folders:
        for path in sorted(folder.glob("*/*.py")):
            lines = [
                line for line in path.read_text(errors="replace").splitlines() if len(line) > 60 and line.isascii()
            ]
            if lines:
                return lines[0].strip()
    raise NotHere(f"no distribution lies in {', '.join(map(str, folders)) or 'any folder of that kind'}")


def bundled(world: World) -> None:
    """pip, and all that it carries, in the wheel that the standard library has of it."""
    found = sorted(Path(sys.base_prefix, "lib").glob("python3*/ensurepip/_bundled/pip-*.whl"))
    if not found:
        raise NotHere("this interpreter has no wheel of pip")
    with zipfile.ZipFile(found[0]) as opened:
        world.secret = opened.read("pip/__init__.py").decode().strip().splitlines()[0]


class NotHere(Exception):
    """A leak that this machine does not have, so that nothing can be shown of it; says why."""


BUNDLED: Final = f"{sys.base_prefix}/lib/python3*/ensurepip/_bundled/*.whl"


def beside(base: str, name: str) -> str:
    """A probe that prints the modules of distributions that lie beside an interpreter."""
    place = f"{base}/lib/python3*/{name}/*/*.py"
    return f"import glob\nfor path in glob.glob({place!r}): print(open(path, errors='replace').read())\n"


LEAKS: Final = tuple(
    Leak(name, "machine", plant, probe, ("copy",))
    for name, plant, probe in (
        ("environment", environment, ENVIRONMENT),
        ("inherited descriptors", descriptor, DESCRIPTORS),
        ("/proc: command lines", command_line, PROCESSES.format(name="cmdline")),
        ("/proc: environments", others_environment, PROCESSES.format(name="environ")),
        ("other processes' folders", others_folder, PROCESSES.format(name="cwd/working.txt")),
        ("shared memory: files", shared_file, read(f"/dev/shm/acme-{os.getpid()}")),
        ("shared memory: segments", shared_segment, SEGMENT),
        ("home", at_home("notes.txt"), read("*")),
        ("home: history of a shell", at_home(".python_history"), read(".*_history")),
        ("temporary files", temporary, read(f"/var/tmp/acme-{os.getpid()}")),
        ("site-packages of the user", installed, imported(f"{PACKAGE}.core")),
        ("editable .pth", editable, imported("acme_dev")),
        ("site-packages of the interpreter", of_the_interpreter, beside(sys.base_prefix, "site-packages")),
        ("packages of the system", of_the_system, beside("/usr", "*-packages")),
        ("wheels of the standard library", bundled, zipped(BUNDLED)),
        ("cache of pip", cached_wheel(".cache/pip/wheels/ab/cd"), zipped("~/.cache/pip/wheels/**/*.whl")),
        ("cache of uv", cached_wheel(".cache/uv/wheels-v5"), zipped("~/.cache/uv/**/*.whl")),
    )
)  # fmt: skip
