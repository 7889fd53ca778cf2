"""What we ask git for, without the repository that is asked having a say in it.

A repository's configuration can name programs to run (file monitors, filters, remotes of a partial clone), its
attributes can drop tests from an archive, its replace refs can show other content. So objects are read through an
empty repository of our own that borrows them. Nothing is fetched, and nothing is written there.
"""

import os
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from models.errors import TerminalError

NEUTRAL: Final = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C",
}  # fmt: skip


class NoHistory(TerminalError):
    """A repository that can't be read, or git itself is missing."""


class Entry(NamedTuple):
    """A file of a commit."""

    path: PurePosixPath
    mode: int
    """100644, 100755, 120000 (a symbolic link) or 160000 (a submodule), octal."""
    size: int


class Snapshot(NamedTuple):
    """A commit that can be read."""

    git_dir: Path
    """Of our own repository."""
    commit: str
    made_at: datetime
    tree: str
    """The commit, or `commit:folder`."""
    entries: tuple[Entry, ...]


def git(*words: str, git_dir: Path | None = None, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
    """What git prints. Raises NoHistory with what it complains about."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | NEUTRAL | (env or {})
    where = ["--git-dir", str(git_dir)] if git_dir else []
    try:
        ran = subprocess.run(
            ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *where,
            *words], input=stdin, capture_output=True, check=False, env=clean,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise NoHistory("there is no git on this machine: apt-get install git") from error
    if ran.returncode:
        said = ran.stderr.decode(errors="replace").strip()[:500]
        raise NoHistory(f"git {words[0]} on {git_dir or Path.cwd()}: {said}")
    return ran.stdout


def git_dir(folder: Path) -> Path | None:
    """The directory with the repository of the work tree whose top is `folder`: followed, if `.git` is a file."""
    found = folder / ".git"
    if found.is_file():
        told = found.read_text().strip()
        found = (folder / told.removeprefix("gitdir:").strip()).resolve()
    return found if (found / "HEAD").is_file() else None


def enclosing(folder: Path) -> tuple[Path, PurePosixPath] | None:
    """The repository that `folder` belongs to, and where in its tree it lies."""
    for top in (folder, *folder.parents):
        if found := git_dir(top):
            return found, PurePosixPath(folder.relative_to(top))
    return None


@contextmanager
def snapshot(source: Path, revision: str = "HEAD") -> Generator[Snapshot | None]:
    """`revision` of the repository that the folder `source` belongs to; None where it belongs to none, or is not under
    its control.

    Raises NoHistory where there is no such revision, or where it is not all there (a partial clone).
    """
    found = enclosing(source.resolve())
    if found is None:
        yield None
        return
    repository, below = found
    try:
        asked = f"{revision}^{{commit}}"
        commit = git("rev-parse", "--verify", "--end-of-options", asked, git_dir=repository).decode().strip()
    except NoHistory as error:
        raise NoHistory(f"{source} has no commit {revision}: commit something, or name another ({error})") from error
    common = repository / "commondir"
    objects = ((repository / common.read_text().strip()) if common.exists() else repository).resolve() / "objects"
    with TemporaryDirectory(prefix="room-") as folder:
        ours = Path(folder, "borrowed")
        kind = "sha256" if len(commit) == 64 else "sha1"
        git("init", "--quiet", "--bare", "--template=", f"--object-format={kind}", str(ours))
        (ours / "objects/info").mkdir(exist_ok=True)
        (ours / "objects/info/alternates").write_text(f"{objects}\n")
        (ours / "info").mkdir(exist_ok=True)
        (ours / "info/attributes").write_text("* -export-ignore -export-subst\n")
        made_at = datetime.fromtimestamp(int(git("show", "-s", "--format=%ct", commit, git_dir=ours)), UTC)
        tree = commit if below == PurePosixPath(".") else f"{commit}:{below}"
        try:
            listed = git("ls-tree", "-r", "-l", "-z", "--full-tree", tree, git_dir=ours)
        except NoHistory as error:
            if tree != commit and "Not a valid object name" in str(error):
                yield None
                return
            raise _partial(source, error) from error
        if b" BAD\t" in listed:
            raise _partial(source, NoHistory("sizes of some files are not known, so they are missing"))
        yield Snapshot(ours, commit, made_at, tree, tuple(_entries(listed)))


def archive(seen: Snapshot, into: Path) -> None:
    """Write the tree as a tar file. Raises NoHistory where part of it is missing."""
    try:
        git("archive", "--format=tar", "--output", str(into), seen.tree, git_dir=seen.git_dir)
    except NoHistory as error:
        raise _partial(seen.git_dir, error) from error


def commit_all(tree: Path, made_at: datetime) -> str:
    """Make a repository at `tree` with one commit of all that lies there, and its hash: equal trees and dates give the
    equal one.
    """
    at = f"{int(made_at.timestamp())} +0000"
    who = {"NAME": "room", "EMAIL": "room@localhost", "DATE": at}
    env = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in who.items()}
    own = tree / ".git"
    git("init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main", str(tree))
    add: Sequence[str] = ("--work-tree", str(tree), "add", "--all", "--force", ".")
    git("-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null", *add, git_dir=own)
    written = git("write-tree", git_dir=own).decode().strip()
    commit = git("commit-tree", written, "-m", "The tree as it is given", git_dir=own, env=env).decode().strip()
    git("update-ref", "refs/heads/main", commit, git_dir=own)
    return commit


def _entries(listed: bytes) -> list[Entry]:
    found: list[Entry] = []
    for line in listed.decode(errors="surrogateescape").split("\0"):
        if line:
            told, path = line.split("\t", 1)
            mode, _, _, size = told.split()
            found.append(Entry(PurePosixPath(path), int(mode, 8), int(size) if size != "-" else 0))
    return found


def _partial(source: Path, error: NoHistory) -> NoHistory:
    said = str(error)
    if any(word in said for word in ("unable to read", "missing", "bad object", "could not read", "promisor")):
        return NoHistory(f"{source} is not all there, as in a partial clone: `git fetch --refetch` first ({said})")
    return error
