"""A file to import: what it is, checked before anything is written, and its lines.

gzip is told by content, not by name. Left out: other compressions and encodings, which are named and refused.
"""

import gzip
import hashlib
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from models.errors import TerminalError

MAX_ROW_BYTES = 4 * 1024 * 1024
"""A longer line is refused: one line may not take the memory that everything else needs."""

GZIP = b"\x1f\x8b"
MAGIC = (
    (b"PAR1", "a Parquet file", "export it as JSON lines or CSV"),
    (
        b"PK\x03\x04",
        "a zip archive or a workbook",
        "unpack it, save the sheet as CSV, or convert a log of Inspect to JSON",
    ),
    (b"SQLite format 3\x00", "an SQLite database", "export its table as CSV"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it, or use gzip"),
    (b"BZh", "compressed with bzip2", "unpack it, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it, or use gzip"),
    (b"ARROW1", "an Arrow file", "export it as JSON lines or CSV"),
    (b"%PDF", "a PDF", "export the rows as CSV"),
    (b"\xff\xfe", "in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "in UTF-16", "save it as UTF-8"),
)
TEXT_CONTROLS = frozenset(b"\t\n\r\f\x0b\x08\x1b")


class FileFacts(NamedTuple):
    """What was found out by reading the file once."""

    size: int
    """Bytes on the disk."""
    sha256: str
    """Of the content, unpacked: the same rows are the same import, packed or not."""


class Line(NamedTuple):
    """A line without its end. `content` is cut at MAX_ROW_BYTES where `too_long`."""

    number: int
    content: bytes
    too_long: bool
    position: int


def check_file(path: Path) -> FileFacts:
    """Read the file once, to its end. Raises TerminalError, in one line, for what can't be imported at all."""
    hashed = hashlib.sha256()
    blank = True
    with opened(path) as (content, _):
        first = content.read(1 << 16)
        _refuse_binary(path, first)
        while first:
            hashed.update(first)
            blank = blank and not first.strip(b"\xef\xbb\xbf \t\r\n")
            first = content.read(1 << 20)
    if blank:
        raise TerminalError(f"{path} is empty: nothing to import")
    return FileFacts(path.stat().st_size, hashed.hexdigest())


def check_folder(path: Path, files: Sequence[Path]) -> FileFacts:
    """The same of a folder of one export: of its `files`, with their names below it. Each has to be fit to be read."""
    if not files:
        raise TerminalError(f"{path} holds no file of this format: nothing to import")
    facts = [(file.relative_to(path).as_posix(), check_file(file)) for file in files]
    hashed = hashlib.sha256("".join(f"{fact.sha256} {name}\n" for name, fact in facts).encode())
    return FileFacts(sum(fact.size for _, fact in facts), hashed.hexdigest())


def lines(path: Path) -> Iterator[Line]:
    """The lines of the file, unpacked, blank ones too; numbers from 1."""
    with opened(path) as (content, raw):
        number = 0
        while line := content.readline(MAX_ROW_BYTES + 1):
            number += 1
            too_long = len(line) > MAX_ROW_BYTES
            rest = line
            while too_long and rest and not rest.endswith(b"\n"):
                rest = content.readline(1 << 20)
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            yield Line(number, line.rstrip(b"\r\n"), too_long, raw.tell())


def decoded(line: Line) -> tuple[str, str | None]:
    """The line's text, and why it can't be used: too long, or bytes that are not UTF-8."""
    if line.too_long:
        return line.content[:20_000].decode(errors="backslashreplace"), (
            f"line {line.number} is longer than {MAX_ROW_BYTES // 1024 // 1024} MiB"
        )
    try:
        return line.content.decode(), None
    except UnicodeDecodeError as error:
        return line.content.decode(errors="backslashreplace"), not_utf8(line.content[error.start], line.number)


def not_utf8(byte: int, number: int) -> str:
    """Why a line with this byte is refused."""
    return f"line {number} is not UTF-8 (byte 0x{byte:02x}): save the file as UTF-8"


@contextmanager
def opened(path: Path) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """The unpacked content, and the file below it (whose position is the progress). Faults become TerminalErrors."""
    if path.is_dir():
        raise TerminalError(f"{path} is a folder: name the files in it, as in {path}/*.jsonl")
    if not path.exists():
        raise TerminalError(f"{path} is not there: check the name")
    if not path.is_file():
        raise TerminalError(f"{path} is not a regular file: save it as one first")
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield cast(IO[bytes], unpacked), raw
            else:
                yield raw, raw
    except EOFError as error:
        raise TerminalError(f"{path} is a gzip file that was cut off: fetch or pack it again") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise TerminalError(f"{path} is a damaged gzip file ({error}): fetch or pack it again") from error
    except OSError as error:
        raise TerminalError(f"{path} can't be read: {error.strerror or error}: mend that first") from error


def _refuse_binary(path: Path, first: bytes) -> None:
    for magic, what, instead in MAGIC:
        if first.startswith(magic):
            raise TerminalError(f"{path} is {what}: {instead}")
    sample = first[:8192]
    strange = sum(byte < 32 and byte not in TEXT_CONTROLS for byte in sample)
    if strange > len(sample) / 20:
        raise TerminalError(f"{path} is a binary file: export its rows as JSON lines or CSV")
