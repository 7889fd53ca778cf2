"""A package index for a room: some distributions, as of a day, and never the one whose answer is asked for.

An open index hands out the answer: `pip download` of the package under test is its source. This one is a list of
names over a folder of wheels, or over an index that the user names (PEP 503, in JSON as of PEP 691 and 700), and
shows no file that was uploaded after a date. Left out: everything else of an index, and files without a hash or,
where there is a date, without a time of upload. In a folder the time of a file is its time of change.
"""

import hashlib
import html
import re
import zipfile
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from evals.cleanroom.tools import canonical
from models.errors import TerminalError

WHEEL: Final = re.compile(r"(?P<name>[A-Za-z0-9_.]+?)-[^-]+(-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl")

Answer = tuple[str, str, bytes]
"""Status, kind of content, content."""


class BadIndex(TerminalError):
    """An index that can't be asked; says why."""


class File(NamedTuple):
    """A file of a project."""

    name: str
    place: str
    """Where the source has it."""
    sha256: str
    uploaded_at: datetime | None
    requires_python: str = ""


class Source(Protocol):
    """Where files come from."""

    def files(self, project: str) -> Sequence[File]:
        """Of a project, by its canonical name; none, where there is none."""
        ...

    def content(self, file: File) -> bytes:
        """Of a file."""
        ...


class Folder:
    """Wheels in a folder. Raises BadIndex where there is none."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadIndex(f"{folder} is no folder of wheels")
        self._folder = folder

    def files(self, project: str) -> Sequence[File]:
        """See `Source`."""
        found: list[File] = []
        for path in sorted(self._folder.glob("*.whl")):
            if (match := WHEEL.fullmatch(path.name)) and canonical(match["name"]) == project:
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                found.append(File(path.name, path.name, digest, changed, _requires_python(path)))
        return found

    def content(self, file: File) -> bytes:
        """See `Source`."""
        return (self._folder / file.place).read_bytes()


class Index:
    """What a room sees of `source`: the projects `names`, without those in `hidden` (the package under test), as they
    were before `before`.
    """

    def __init__(
        self, source: Source, names: Collection[str], *, hidden: Collection[str] = (), before: datetime | None = None
    ) -> None:
        self._source = source
        self._names = frozenset(map(canonical, names)) - frozenset(map(canonical, hidden))
        self._before = before
        self._listed: dict[str, dict[str, File]] = {}

    def answer(self, method: str, path: str) -> Answer:
        """To a request from a room."""
        if method not in ("GET", "HEAD"):
            return "405 Method Not Allowed", "text/plain", b""
        try:
            found = self._found([unquote(part) for part in path.partition("?")[0].strip("/").split("/")])
        except BadIndex as error:
            return "502 Bad Gateway", "text/plain", str(error).encode()
        status, kind, body = found or ("404 Not Found", "text/plain", b"not in this room's index\n")
        return status, kind, b"" if method == "HEAD" else body

    def files(self, project: str) -> dict[str, File]:
        """Of a project that is shown, by name. Raises BadIndex where the source can't be asked."""
        name = canonical(project)
        if name not in self._names:
            return {}
        if name not in self._listed:
            self._listed[name] = {file.name: file for file in self._source.files(name) if self._is_shown(file)}
        return self._listed[name]

    def _is_shown(self, file: File) -> bool:
        if self._before is None:
            return True
        return file.uploaded_at is not None and file.uploaded_at < self._before

    def _found(self, parts: list[str]) -> Answer | None:
        match parts:
            case ["simple"]:
                return _page([f'<a href="/simple/{name}/">{name}</a>' for name in sorted(self._names)])
            case ["simple", project] if files := self.files(project):
                return _page([_link(canonical(project), file) for file in files.values()])
            case ["files", project, name] if file := self.files(project).get(name):
                content = self._source.content(file)
                if hashlib.sha256(content).hexdigest() != file.sha256:
                    raise BadIndex(f"{file.name} is not what its hash says")
                return "200 OK", "application/octet-stream", content
            case _:
                return None


def _page(links: list[str]) -> Answer:
    return "200 OK", "text/html; charset=utf-8", ("<!DOCTYPE html>\n" + "<br>\n".join(links) + "\n").encode()


def _link(project: str, file: File) -> str:
    needs = f' data-requires-python="{html.escape(file.requires_python)}"' if file.requires_python else ""
    return f'<a href="/files/{project}/{quote(file.name)}#sha256={file.sha256}"{needs}>{html.escape(file.name)}</a>'


def _requires_python(wheel: Path) -> str:
    try:
        with zipfile.ZipFile(wheel) as opened:
            name = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
            told = re.search(rb"^Requires-Python: *(.+?)\r?$", opened.read(name), re.MULTILINE)
    except (zipfile.BadZipFile, StopIteration):
        return ""
    return told[1].decode() if told else ""
