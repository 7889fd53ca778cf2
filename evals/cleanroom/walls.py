"""What a room shows: system programs, one interpreter, the tree, and files that we write; as bubblewrap's arguments.

A list of what is there, so that nothing is by accident. Of /usr come programs and libraries, no /usr/local, sources or
documents; every site-packages and dist-packages, and the wheels in ensurepip, are covered by an empty folder: a library
that lies there for the system's sake (pip carries twenty) would be a copy of the answer. Names of folders on this
machine can be read in /proc/self/mountinfo, so ours say nothing. The clock is the machine's.
"""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from evals.cleanroom.launch import Bind
from evals.cleanroom.room import WORK, NoRoom

SITE: Final = "/opt/site"
"""Where `tools` lie inside; it is on PYTHONPATH."""
ROOM: Final = "/opt/room"
"""Where `inside.py` and `python` lie."""
AGENT: Final = "/home/agent"
HOSTNAME: Final = "room"

USR: Final = (
    "bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", "share/terminfo", "share/zoneinfo",
    "share/locale", "share/i18n", "share/misc", "share/file", "share/perl", "share/perl5", "share/git-core",
    "share/ca-certificates", "share/gcc", "share/awk", "share/mime",
)  # fmt: skip
ETC: Final = ("alternatives", "ssl/certs", "pki/tls/certs", "ld.so.cache", "localtime")
"""Taken from this machine, where they are there: without them some programs don't start, or trust no certificate."""
INTERPRETER: Final = ("bin", "lib", "lib64")
"""Of an interpreter's prefix: others keep their packages' archives and environments there too."""
COVERED: Final = ("site-packages", "dist-packages", "ensurepip/_bundled")

WRITTEN: Final = {
    "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000:agent:/home/agent:/bin/sh\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hostname": f"{HOSTNAME}\n",
}
"""All else of /etc. No resolv.conf: names are looked up outside, by the proxy."""


def furnish(home: Path, python: Path) -> None:
    """Write into `home` what `binds` and `arguments` bind: `etc`, `room`, `empty`, `tmp`, `agent`, `near`."""
    for name in ("etc", "room", "empty", "tmp", "agent", "near"):
        (home / name).mkdir()
    for name, text in WRITTEN.items():
        (home / "etc" / name).write_text(text)
    for name in ETC:
        if (source := Path("/etc", name)).exists():
            place = home / "etc" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            _ = place.mkdir() if source.is_dir() else place.touch()
    shutil.copyfile(Path(__file__).with_name("inside.py"), home / "room/inside.py")
    for name in ("python", "python3"):
        (home / "room" / name).symlink_to(interpreter(python))
    for path in home.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def interpreter(prefix: Path) -> Path:
    """The program of the interpreter at `prefix`. Raises NoRoom where there is none."""
    for found in sorted((prefix / "bin").glob("python3*")):
        if found.name.removeprefix("python3").strip(".0123456789") == "" and found.exists():
            return found
    raise NoRoom(f"{prefix} is no interpreter's prefix: there is no bin/python3 in it")


def binds(home: Path, tree: Path, python: Path, tools: Path | None, also: Sequence[Path]) -> list[Bind]:
    """The folders of this machine that a room shows, in the order in which they are bound."""
    shown = [Bind(Path("/usr", name), f"/usr/{name}") for name in USR if Path("/usr", name).is_dir()]
    if python != Path("/usr"):
        shown += [Bind(python / name, str(python / name)) for name in INTERPRETER if (python / name).is_dir()]
    shown += [Bind(path, str(path)) for path in also]
    shown += [Bind(home / "empty", str(path)) for path in _to_cover(python)]
    shown.append(Bind(home / "etc", "/etc"))
    shown += [Bind(Path("/etc", name), f"/etc/{name}") for name in ETC if Path("/etc", name).exists()]
    shown.append(Bind(home / "room", ROOM))
    if tools:
        shown.append(Bind(tools, SITE))
    return [*shown, Bind(home / "tmp", "/tmp", True), Bind(home / "agent", AGENT, True), Bind(tree, WORK, True)]


@cache
def _to_cover(python: Path) -> list[Path]:
    """Folders of distributions below /usr/lib and `python`."""
    folders = [
        *Path("/usr/lib").glob("python3*"),
        *(python / "lib").glob("python3*"),
        *(python / "lib64").glob("python3*"),
    ]
    return sorted({folder / name for folder in folders for name in COVERED if (folder / name).is_dir()})


@cache
def options() -> frozenset[str]:
    """Options that this bubblewrap knows. Raises NoRoom where there is none."""
    if shutil.which("bwrap") is None:
        raise NoRoom("there is no bubblewrap: apt-get install bubblewrap (or what your distribution calls it)")
    told = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    known = frozenset(word for word in (told.stdout + told.stderr).split() if word.startswith("--"))
    if missing := {"--perms", "--seccomp", "--clearenv", "--unshare-cgroup-try", "--as-pid-1"} - known:
        raise NoRoom(
            f"this bubblewrap is too old, it lacks {', '.join(sorted(missing))}: 0.5.0 is the first that will do"
        )
    return known


def arguments(shown: Sequence[Bind], python: Path, filter_fd: int, control_fd: int, shared_mb: int) -> list[str]:
    """bubblewrap's command line for a room with `shown` in it, whose process 1 answers on `control_fd`."""
    words = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--clearenv"]
    words += ["--disable-userns"] if "--disable-userns" in options() else []
    words += ["--uid", "1000", "--gid", "1000", "--hostname", HOSTNAME, "--seccomp", str(filter_fd)]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", f"usr/{name}", str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777"]
    words += ["--size", str(shared_mb << 20)] if "--size" in options() else []
    words += ["--tmpfs", "/dev/shm", "--dir", "/var", "--symlink", "../tmp", "/var/tmp", "--dir", "/run"]
    for bind in shown:
        words += ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.inside]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*words, "--", str(interpreter(python)), "-I", "-S", f"{ROOM}/inside.py", str(control_fd)]
