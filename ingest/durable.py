"""Files that are whole or not there: written beside their place, made durable, then linked or renamed into it.

This is the part that a bucket would stand in for. It knows no homes and no formats.
"""

import errno
import os
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from models.errors import TerminalError, TransientError

TEMPORARY = ".partial"
"""How the name of a file ends that is still being written."""


def put_if_absent(path: Path, content: bytes, *, unless: Callable[[], bool] = lambda: False, mode: int = 0o666) -> bool:
    """Write `path` whole and durable, or leave the one that is there: True if this call wrote it.

    The link is the arbiter between two writers. `unless` is asked once the content lies beside `path`: if it is true
    nothing is linked. Who makes it true and then sweeps away what lies beside (`unfinished`) knows that no name is
    taken after. Where it can't be written nothing stays behind: TransientError if the disk is full, else TerminalError.
    `mode`: who may read it, less what the process takes from all new files.
    """
    with writing(path, len(content)):
        make_folder(path.parent)
        temporary = _temporary(path, content, mode)
        try:
            if unless():
                return False
            os.link(temporary, path)
        except FileExistsError:
            return False
        except FileNotFoundError as error:
            raise TransientError(
                f"{temporary} was swept away while its writer slept, so {path.name} is not written: try again"
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    return True


def replace(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Put `content` in the place of `path`, whole and durable: a reader sees the old or the new, never a part.

    `mode` and errors: see `put_if_absent`.
    """
    with writing(path, len(content)):
        make_folder(path.parent)
        temporary = _temporary(path, content, mode)
        try:
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def sweep(folder: Path, older_than: float = 3600.0) -> int:
    """Remove what killed writers left in `folder` more than `older_than` seconds ago; how many files that were."""
    swept = 0
    for leftover in folder.glob(f".*{TEMPORARY}"):
        try:
            if time.time() - leftover.stat().st_mtime > older_than:
                leftover.unlink()
                swept += 1
        except FileNotFoundError:
            continue  # its writer, or another sweep, was faster
    return swept


def unfinished(folder: Path) -> dict[Path, str]:
    """What writers have begun in `folder`, killed ones too: the file and the name that it was to have."""
    return {
        begun: begun.name[1:].rpartition(TEMPORARY)[0].rpartition(".")[0] for begun in folder.glob(f".*{TEMPORARY}")
    }


def make_folder(folder: Path) -> None:
    """Make `folder` and what is missing above it, each name durable: a file is only as safe as the folders it is in."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable: a rename or link is only safe after this."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path, size: int = 0) -> Generator[None]:
    """What the system refuses while `path` is made, as a line that names it, the room that is left, the way out.

    Raises TransientError where the disk is full, else TerminalError.
    """
    try:
        yield
    except OSError as error:
        place = next(folder for folder in path.parents if folder.exists())
        free = f"it has {size:,} bytes, {shutil.disk_usage(place).free:,} are free there"
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise TransientError(
                f"{path} can't be written: {error.strerror} ({free}). Nothing half-written is left: make room, then "
                "try again"
            ) from error
        raise TerminalError(
            f"{path} can't be written: {error.strerror} ({free}): see that {place} is yours to write to, and on a disk "
            "that knows hard links"
        ) from error


def _temporary(path: Path, content: bytes, mode: int = 0o666) -> Path:
    """A durable file with `content` beside `path`; none if it can't be written.

    Its name ends in no suffix that a reader looks for: DuckDB's patterns match names that start with a dot. Made with
    the rights that any new file gets, where `tempfile` would shut out everybody but the owner.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}{TEMPORARY}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
