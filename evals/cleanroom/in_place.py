"""A repository that an agent works in where it lies: its history, and whatever else would give the answer away, is
moved beside it at the start and back at the end.

Moving is renaming, on one file system, so everything is back to the byte: content, owners, modes, times, hard links and
extended attributes. What is to be moved is written down, and on disk, before the first rename; which renames were done
shows by what lies where. So whoever comes after a kill -9 finishes the way back: `recover`, or the next `moved_away`.
Files that stay are the agent's to change. Those of root are nobody's in the meantime, under the same journal.

Left out: files that are neither tracked nor named by `leftovers` stay where they are; only a copy (`copy`) knows
nothing of them.
"""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from evals.cleanroom import launch
from evals.cleanroom.history import git, git_dir
from evals.cleanroom.leftovers import kept
from evals.cleanroom.trees import walked
from models.errors import TerminalError

JOURNAL: Final = "journal.json"
SET_ID: Final = stat.S_ISUID | stat.S_ISGID


class NotMoved(TerminalError):
    """A tree whose history can't be moved away, or not back; says why."""


class InPlace:
    """A tree without history."""

    def __init__(self, tree: Path, moved: dict[str, str]) -> None:
        self.tree = tree
        self.moved = moved
        """Path -> why."""
        self.evidence: Path | None = None
        """Once it is back: the folder with what the agent has made in the places of what was moved, if it has."""


class Owned(NamedTuple):
    """Whose a file was."""

    path: str
    uid: int
    gid: int


def store(tree: Path) -> Path:
    """Where what was moved out of `tree` lies meanwhile: beside it, since a rename can't leave the file system."""
    return tree.parent / f".{tree.name}.away"


@contextmanager
def moved_away(tree: Path, *, package: str | None = None) -> Generator[InPlace]:
    """`tree` without what gives it away, until the block ends; `package` names what is under test, as for a copy.
    Finishes first what an earlier, killed session has left.

    Raises NotMoved where `.git` is a file, where another session is at work, or where the folder above can't be
    written.
    """
    tree = tree.resolve()
    _look(tree)
    recover(tree)
    with _locked(tree) as place:
        moved = _chosen(tree, package)
        journal = _journal(tree, moved)
        _write(place / JOURNAL, journal)
        session = InPlace(tree, moved)
        try:
            try:
                _away(tree, place, journal)
            except OSError as error:
                raise NotMoved(f"{error.filename} can't be moved out of {tree}: {error.strerror}") from error
            yield session
        finally:
            session.evidence = _back(tree, place)


def recover(tree: Path) -> bool:
    """Put back what a killed session has left away; whether there was anything.

    Raises NotMoved where a session is still at work.
    """
    tree = tree.resolve()
    if not store(tree).exists():
        return False
    with _locked(tree) as place:
        if (place / JOURNAL).exists():
            _back(tree, place)
            return True
    return False


def _look(tree: Path) -> None:
    """Raise NotMoved for a tree that is none of ours."""
    own = tree / ".git"
    if own.is_file():
        raise NotMoved(
            f"{own} is a file: {tree} is a linked worktree or a submodule, whose history lies in another repository's. "
            "Make a copy of it, or name the repository itself"
        )
    if not tree.is_dir():
        raise NotMoved(f"{tree} is no folder")
    if os.geteuid() not in (0, tree.stat().st_uid):
        raise NotMoved(f"{tree} belongs to user {tree.stat().st_uid}: only they, or root, can move its history away")


@contextmanager
def _locked(tree: Path) -> Generator[Path]:
    """The store of `tree`, held by this process alone; removed at the end, if no journal is left in it."""
    place = store(tree)
    try:
        place.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise NotMoved(
            f"{tree.parent} can't be written, and history is kept there meanwhile: {error.strerror}"
        ) from error
    with (place / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise NotMoved(f"somebody is at work in {tree}: {place} is locked. End that session first") from error
        try:
            yield place
        finally:
            if not (place / JOURNAL).exists():
                shutil.rmtree(place)


def _chosen(tree: Path, package: str | None) -> dict[str, str]:
    """Paths to move -> why."""
    tracked = set[PurePosixPath]()
    if (own := git_dir(tree)) is not None:
        listed = git("ls-files", "-z", git_dir=own).decode(errors="surrogateescape")
        tracked = {PurePosixPath(name) for name in listed.split("\0") if name}
    chosen = {".git": "history"} if os.path.lexists(tree / ".git") else {}
    files = list(_files(tree))
    for is_tracked in (True, False):
        those = (path for path in files if (path in tracked) is is_tracked)
        for _, why, about in kept(those, is_tracked=is_tracked, package=package):
            if why:
                chosen[str(about)] = why
    return {path: why for path, why in chosen.items() if not any(str(p) in chosen for p in PurePosixPath(path).parents)}


def _files(tree: Path) -> Iterator[PurePosixPath]:
    for path, entry in walked(tree):
        if path.parts[0] != ".git" and not entry.is_dir(follow_symlinks=False):
            yield PurePosixPath(path)


def _journal(tree: Path, moved: dict[str, str]) -> dict[str, Any]:
    """All that the way back needs. Raises NotMoved where a rename could not do it."""
    device = tree.parent.stat().st_dev
    parents = {str(parent) for path in moved for parent in PurePosixPath(path).parents}
    for path in moved:
        if (tree / path).lstat().st_dev != device:
            raise NotMoved(
                f"{tree / path} is on another file system than {tree.parent}: it can't be renamed out of the way"
            )
    return {
        "tree": str(tree),
        "moved": sorted(moved),
        "parents": {path: _told(tree / path) for path in sorted(parents)},
        "owned": _owned(tree, moved) if launch.is_root() and tree.stat().st_uid == 0 else [],
    }


def _told(folder: Path) -> list[int]:
    """What to give a folder back: uid, gid, mode, and when it was last changed."""
    found = folder.stat()
    return [found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode), found.st_mtime_ns]


def _owned(tree: Path, moved: dict[str, str]) -> list[Owned]:
    """Files that become nobody's: of root, and staying. Not one that has a name outside too, since that would change
    with it, nor one that runs as its owner: what an agent has written must not.
    """
    seen: dict[int, list[Owned]] = {}
    names: dict[int, int] = {}
    for path in _staying(tree, moved):
        found = (tree / path).lstat()
        runs_as_owner = stat.S_ISREG(found.st_mode) and found.st_mode & SET_ID
        if found.st_uid in (0, launch.NOBODY) and not runs_as_owner:
            seen.setdefault(found.st_ino, []).append(Owned(str(path), found.st_uid, found.st_gid))
            names[found.st_ino] = 1 if stat.S_ISDIR(found.st_mode) else found.st_nlink
    return [owned for inode, paths in seen.items() if names[inode] == len(paths) for owned in paths]


def _staying(tree: Path, moved: dict[str, str]) -> Iterator[Path]:
    """Paths of all that is in `tree` and not in `moved`, itself first. Follows no link."""
    yield Path()
    for path, _ in walked(tree):
        if not any(str(above) in moved for above in (path, *path.parents)):
            yield path


def _write(path: Path, journal: dict[str, Any]) -> None:
    """Whole and on disk, or not there."""
    beside = path.with_suffix(".new")
    with beside.open("w") as file:
        json.dump(journal, file)
        file.flush()
        os.fsync(file.fileno())
    beside.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _away(tree: Path, place: Path, journal: dict[str, Any]) -> None:
    (place / "moved").mkdir()
    for number, path in enumerate(journal["moved"]):
        (tree / path).rename(place / "moved" / str(number))
    for told in journal["owned"]:
        os.chown(tree / Owned(*told).path, launch.NOBODY, launch.NOBODY, follow_symlinks=False)


def _back(tree: Path, place: Path) -> Path | None:
    """Undo what the journal says, however much of it was done; answers where evidence lies, if there is any."""
    journal = json.loads((place / JOURNAL).read_text())
    evidence = place / "evidence"
    evidence.mkdir(exist_ok=True)
    for number, path in enumerate(journal["moved"]):
        stored = place / "moved" / str(number)
        if os.path.lexists(stored):
            _folder(tree, PurePosixPath(path).parent, journal["parents"], evidence)
            _aside(tree / path, evidence, path)
            stored.rename(tree / path)
    if journal["owned"]:
        _given_back(tree, [Owned(*told) for told in journal["owned"]], dict.fromkeys(journal["moved"], ""))
    for path, (_, _, _, mtime_ns) in sorted(journal["parents"].items(), reverse=True):
        found = tree / path
        if found.is_dir() and not found.is_symlink():
            os.utime(found, ns=(found.stat().st_atime_ns, mtime_ns))
    kept_at = None
    if any(evidence.iterdir()):
        kept_at = next(
            at for n in range(10**6) if not os.path.lexists(at := tree.parent / f".{tree.name}.evidence-{n}")
        )
        evidence.rename(kept_at)
    (place / JOURNAL).unlink()
    return kept_at


def _folder(tree: Path, path: PurePosixPath, parents: dict[str, list[int]], evidence: Path) -> None:
    """Make sure that `path` is a folder of the tree, not a link to somewhere that an agent has put there."""
    for above in reversed((path, *path.parents)):
        found = tree / above
        if found.is_symlink() or not found.is_dir():
            _aside(found, evidence, str(above))
            found.mkdir()
            uid, gid, mode, _ = parents[str(above)]
            os.chown(found, uid, gid)
            found.chmod(mode)


def _aside(path: Path, evidence: Path, name: str) -> None:
    """Keep what an agent has put in the place of something."""
    if os.path.lexists(path):
        number = len(list(evidence.iterdir()))
        path.rename(evidence / f"{number}-{PurePosixPath(name).name}")


def _given_back(tree: Path, owned: list[Owned], moved: dict[str, str]) -> None:
    """Root's files are root's again, and so are those made meanwhile, without set-uid bits. What lies deeper than a
    path can say stays nobody's.
    """
    before = {told.path: told for told in owned}
    top = before["."]
    for path in _staying(tree, moved):
        with suppress(OSError):
            found = (tree / path).lstat()
            if found.st_uid == launch.NOBODY:
                if stat.S_ISREG(found.st_mode) and found.st_mode & SET_ID:
                    (tree / path).chmod(stat.S_IMODE(found.st_mode) & ~SET_ID)
                told = before.get(str(path), top)
                os.chown(tree / path, told.uid, told.gid, follow_symlinks=False)
