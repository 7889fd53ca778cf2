"""A folder that is one export: its files in the order of their names, as one input."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.importers.base import Options, Row
from models.errors import TerminalError


def members(path: Path, pattern: str) -> list[Path]:
    """The files of the folder that match one of the patterns in `pattern` (blanks between); a file is itself."""
    if not path.is_dir():
        return [path]
    return sorted({file for each in pattern.split() for file in path.glob(each) if file.is_file()})


Read = Callable[[Path, Options], Iterator[Row]]


def in_folder(pattern: str, read: Read, first: tuple[str, ...] = ()) -> Read:
    """`read` over every file of a folder; each row's content says its file's name, with its folder's, as `_file`.

    Files that `first` names come before the others: theirs is what the others' rows are read with. A file that can't be
    read is one refused row: the others are imported.
    """

    def each(path: Path, options: Options) -> Iterator[Row]:
        number = done = 0
        files = members(path, pattern)
        for file in sorted(files, key=lambda file: first.index(file.name) if file.name in first else len(first)):
            name = f"{file.absolute().parent.name}/{file.name}"
            for row in _rows(file, options, read, alone=not path.is_dir()):
                number += 1
                content = row.content if row.content is None else {"_file": name, **row.content}
                yield row._replace(number=number, content=content, position=done + row.position)
            done += file.stat().st_size

    return each


def _rows(file: Path, options: Options, read: Read, *, alone: bool) -> Iterator[Row]:
    try:
        yield from read(file, options)
    except TerminalError as error:
        if alone:
            raise
        yield Row(0, file.name, None, str(error).replace(str(file), file.name))
