"""Which files an erasure has rewritten or removed: a line each, written before the file is touched.

A file that is touched twice has two lines; what counts is the digest before the first and after the last.
"""

import json
import os
from typing import NamedTuple

from ingest.durable import make_folder, writing
from ingest.home import Home


class Touched(NamedTuple):
    """A file of the home, by its path in it, and its SHA-256 (hex) before and after; None where it is removed."""

    file: str
    before: str
    after: str | None
    events: int
    """Events of this request that lost their content in it."""


def note(home: Home, stem: str, touched: Touched) -> None:
    """Write down that the request called `stem` is about to touch a file."""
    path = home.erasures / f"{stem}.files.jsonl"
    make_folder(path.parent)
    with writing(path), path.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        whole = not end or (file.seek(end - 1) >= 0 and file.read(1) == b"\n")  # else a crash cut the last line short
        file.write((b"" if whole else b"\n") + json.dumps(touched._asdict()).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def touched_by(home: Home, stem: str) -> list[Touched]:
    """The files that the request has touched, each once, by path."""
    path = home.erasures / f"{stem}.files.jsonl"
    if not path.exists():
        return []
    files: dict[str, Touched] = {}
    for line in path.read_text().splitlines():
        try:
            said = Touched(**json.loads(line))
        except (ValueError, TypeError):
            continue  # cut short by a crash: the file was not touched then, and is noted again
        first = files.get(said.file)
        events = said.events if first is None or first.after == said.after else first.events + said.events
        files[said.file] = Touched(said.file, first.before if first else said.before, said.after, events)
    return [files[name] for name in sorted(files)]
