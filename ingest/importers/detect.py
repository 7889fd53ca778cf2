"""Which format a file, or an exported folder, is of, where nobody named it. A guess that isn't sure is no guess."""

from collections.abc import Iterable
from pathlib import Path

from ingest.importers.base import Importer
from ingest.importers.beginning import take
from ingest.importers.folders import members
from models.errors import TerminalError


def detect(path: Path, importers: Iterable[Importer]) -> Importer:
    """The one importer whose format `path` looks like.

    Raises TerminalError, with the candidates and how to name one, where there are none or several.
    """
    found = candidates(path, importers)
    if len(found) == 1:
        return found[0]
    names = sorted(importer.name for importer in found or importers)
    if found:
        raise TerminalError(f"{path} could be {' or '.join(names)}: say which, as in --format {names[0]}")
    what = "a folder that is no export we know" if path.is_dir() else "of no format that can be told by its look"
    raise TerminalError(f"{path} is {what}: say --format NAME, one of {', '.join(names)}")


def candidates(path: Path, importers: Iterable[Importer]) -> list[Importer]:
    """The importers that `path` looks like an export of, general ones only where no other does."""
    if path.is_dir():
        found = [importer for importer in importers if importer.folder and _fits_folder(path, importer)]
    else:
        sample = take(path)
        found = [importer for importer in importers if importer.fits(sample)]
    return [importer for importer in found if not importer.general] or found


def _fits_folder(path: Path, importer: Importer) -> bool:
    """Whether each file of the folder that the format takes is one of it, and there is one."""
    files = members(path, importer.folder or "")
    return bool(files) and all(importer.fits(take(file)) for file in files)
