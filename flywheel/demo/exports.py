"""Which files of a folder the demo imports: each file, or folder that is one export, whose format is certain."""

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from ingest.importers import IMPORTERS, Importer
from ingest.importers.detect import candidates
from models.errors import TerminalError


class Export(NamedTuple):
    """A file, or a folder that is one export, and how it is read."""

    path: Path
    importer: Importer
    options: dict[str, str]


LEFT_OUT = ("README*", "LICENSE*", ".*", "emoji_counts*.jsonl*")
"""What is no export, and OpenAssistant's totals, which its `messages_flat` says again."""

OPTIONS = {"csv": {"dates": "dmy"}}
"""Tables of people's making are read day first; nobody is there to be asked."""


def exports(folder: Path) -> list[Export]:
    """The exports in `folder`, in the order of their names. Raises TerminalError if there are none."""
    if not folder.is_dir():
        raise TerminalError(f"--data {folder} is not a folder: name one that holds exports")
    found = list(_below(folder))
    if not found:
        raise TerminalError(f"--data {folder} holds no file of a format that we know: see flywheel import --help")
    return found


def _below(folder: Path) -> Iterator[Export]:
    for path in sorted(folder.iterdir()):
        if any(fnmatch(path.name, pattern) for pattern in LEFT_OUT):
            continue
        importer = _certain(path)
        if importer is not None:
            yield Export(path, importer, OPTIONS.get(importer.name, {}))
        elif path.is_dir():
            yield from _below(path)


def _certain(path: Path) -> Importer | None:
    """The one format that `path` looks like; None where there are none or several, or it can't be read."""
    try:
        found = candidates(path, IMPORTERS.values()) if path.is_dir() or path.is_file() else []
    except TerminalError:
        return None
    return found[0] if len(found) == 1 else None
