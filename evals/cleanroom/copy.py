"""A folder as somebody who knows nothing of its past may see it: one dated commit, and nothing that lay around.

A repository is read from its objects (`history`): what is not in the commit isn't there, whether changed, ignored or
forgotten. A plain folder is copied without what `leftovers` names. Left out of both: submodules (empty folders are in
their place), links that point outside, sockets and devices.
"""

import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from evals.cleanroom.history import NoHistory, Snapshot, archive, commit_all, snapshot
from evals.cleanroom.leftovers import kept
from evals.cleanroom.trees import walked
from models.errors import TerminalError

MAX_MB: Final = 1024
MAX_FILES: Final = 100_000
GITLINK: Final = 0o160000
LFS: Final = b"version https://git-lfs.github.com/spec/"


class NotCopied(TerminalError):
    """A folder that no room can be made of; says why."""


class Copied(NamedTuple):
    """What was copied."""

    tree: Path
    commit: str
    """The one that stands for all history."""
    taken_from: str | None
    """The source's commit; None: a plain folder."""
    made_at: datetime
    """The date of the commit: the source's, or of its newest file."""
    files: int
    size: int
    """In bytes."""
    left_out: dict[str, str]
    """Path (of a file, or of a folder with all in it) -> why."""
    submodules: tuple[str, ...]
    pointers: tuple[str, ...]
    """Files that are pointers of git LFS: their content is not in the repository."""


def clean_copy(
    source: Path, into: Path, *, package: str | None = None, revision: str = "HEAD", max_mb: int = MAX_MB,
    max_files: int = MAX_FILES, is_code_needed: bool = True,
) -> Copied:  # fmt: skip
    """Copy the folder `source` to the new folder `into`, as one commit. `package` names what is under test: copies of
    it in folders of vendored packages are left out.

    Raises NotCopied where `source` is no folder, too large, or without Python files (unless none are needed), and
    NoHistory where it is a repository that can't be read.
    """
    if not source.is_dir():
        raise NotCopied(f"{source} is no folder: give the top of a source tree")
    into.mkdir(parents=True)
    try:
        with snapshot(source, revision) as seen:
            if seen is None or not seen.entries:
                copied = _plain(source, into, package, max_mb, max_files)
            else:
                copied = _tracked(seen, into, package, max_mb, max_files)
        if is_code_needed and not any(into.rglob("*.py")):
            raise NotCopied(f"{source} has no Python file in it (that is not left out): there is no code to work on")
        _date(into, copied.made_at)
        return copied._replace(commit=commit_all(into, copied.made_at))
    except (NotCopied, NoHistory):
        shutil.rmtree(into)
        raise


def _tracked(seen: Snapshot, into: Path, package: str | None, max_mb: int, max_files: int) -> Copied:
    """The files of a commit."""
    _bounded(seen.commit, len(seen.entries), sum(entry.size for entry in seen.entries), max_mb, max_files)
    left_out, pointers, files, size = dict[str, str](), list[str](), 0, 0
    judged = {
        path: (why, about)
        for path, why, about in kept((e.path for e in seen.entries), is_tracked=True, package=package)
    }
    with TemporaryDirectory(prefix="room-") as folder:
        archive(seen, Path(folder, "tar"))
        with tarfile.open(Path(folder, "tar"), errorlevel=2) as tar:
            for member in tar:
                path = PurePosixPath(member.name)
                if member.isdir():
                    continue
                why, about = judged.get(path, (None, path))
                if not why and member.issym() and not _stays(path, member.linkname):
                    why = "a link that leads outside"
                if why or ".." in path.parts or path.is_absolute():
                    left_out[str(about)] = why or "a path that leads outside"
                    continue
                target = into / path
                target.parent.mkdir(parents=True, exist_ok=True)
                if member.issym():
                    target.symlink_to(member.linkname)
                elif (content := tar.extractfile(member)) is not None:
                    text = content.read()
                    target.write_bytes(text)
                    target.chmod(0o755 if member.mode & 0o100 else 0o644)
                    size += len(text)
                    if text.startswith(LFS):
                        pointers.append(str(path))
                files += 1
    submodules = tuple(str(entry.path) for entry in seen.entries if entry.mode == GITLINK)
    for name in submodules:
        (into / name).mkdir(parents=True, exist_ok=True)
    return Copied(into, "", seen.commit, seen.made_at, files, size, left_out, submodules, tuple(pointers))


def _plain(source: Path, into: Path, package: str | None, max_mb: int, max_files: int) -> Copied:
    """The files of a folder that no repository knows."""
    left_out, files, size, newest = dict[str, str](), 0, 0, 0.0
    for path, named, about in kept(_files(source), is_tracked=False, package=package):
        found = (source / path).lstat()
        why = named or _unfit(source, path, found.st_mode)
        if why:
            left_out[str(about)] = why
            continue
        files, size, newest = files + 1, size + found.st_size, max(newest, found.st_mtime)
        _bounded(str(source), files, size, max_mb, max_files)
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target, follow_symlinks=False)
        if not target.is_symlink():
            target.chmod(0o755 if found.st_mode & 0o100 else 0o644)
    made_at = datetime.fromtimestamp(int(newest), UTC)
    return Copied(into, "", None, made_at, files, size, left_out, (), ())


def _files(source: Path) -> Iterator[PurePosixPath]:
    """Paths of all that is no folder below `source`. Follows no link."""
    return (PurePosixPath(path) for path, entry in walked(source) if not entry.is_dir(follow_symlinks=False))


def _unfit(source: Path, path: PurePosixPath, mode: int) -> str | None:
    """Why a file can't be copied for what it is."""
    if stat.S_ISLNK(mode):
        return None if _stays(path, str((source / path).readlink())) else "a link that leads outside"
    return None if stat.S_ISREG(mode) else "neither a file nor a link"


def _stays(path: PurePosixPath, target: str) -> bool:
    """Whether a link at `path` leads to a place in the tree, read as text."""
    if target.startswith("/"):
        return False
    depth = len(path.parts) - 1
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    return True


def _bounded(name: str, files: int, size: int, max_mb: int, max_files: int) -> None:
    if files > max_files or size > max_mb << 20:
        raise NotCopied(
            f"{name} is too large for a room: {files:,} files and {size >> 20:,} MB so far, of at most {max_files:,} "
            f"and {max_mb:,}. Give a folder of it, or higher limits"
        )


def _date(tree: Path, at: datetime) -> None:
    """Give every file and folder one time, so that none tells when it was last touched."""
    moment = int(at.timestamp()) * 10**9
    for path in (*tree.rglob("*"), tree):
        os.utime(path, ns=(moment, moment), follow_symlinks=False)
