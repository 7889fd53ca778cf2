"""The home: the folder that holds a flywheel's lake, builds, sets and artifacts, and the embedded log.

It knows places and the version of its own layout. It reads no events and opens no warehouse.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from filelock import FileLock, Timeout

from ingest.durable import make_folder, put_if_absent, replace, writing
from models.errors import TerminalError, TransientError

LAYOUT_VERSION = 1
"""Raised when the layout changes so that older code would misread it."""


class Home:
    """A home folder. `Home.open` makes it on first use, `Home.existing` doesn't; both refuse a newer version's."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: Path) -> "Home":
        """The home at `path`, made if it isn't there. Raises TerminalError where it can't be used."""
        home = cls(path.expanduser().absolute())
        home._check_folder()
        try:
            home.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TerminalError(
                f"home {home.path} can't be made: {error.strerror}: give --home another folder"
            ) from error
        if not home.facts_file.exists():
            put_if_absent(home.facts_file, json.dumps({"layout": LAYOUT_VERSION, "home_id": str(uuid4())}).encode())
        home._check_layout()
        return home

    @classmethod
    def existing(cls, path: Path) -> "Home":
        """The home at `path`, for those who only read: nothing is made. Raises TerminalError where there is none."""
        home = cls(path.expanduser().absolute())
        home._check_folder()
        if not home.facts_file.exists():
            raise TerminalError(
                f"no home at {home.path}: flywheel demo makes one, or flywheel import, or give --home one that is there"
            )
        home._check_layout()
        return home

    def _check_folder(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise TerminalError(f"home {self.path} is a file: give --home a folder")

    def _check_layout(self) -> None:
        layout = self.facts().get("layout")
        if not isinstance(layout, int) or layout > LAYOUT_VERSION:
            raise TerminalError(
                f"home {self.path} was made by a newer version (layout {layout}; this one knows {LAYOUT_VERSION}): "
                "update Flywheel or give --home another folder"
            )

    @property
    def facts_file(self) -> Path:
        """`home.json`: layout version, home id, and what was pinned on first use."""
        return self.path / "home.json"

    def facts(self) -> dict[str, Any]:
        """What `home.json` says. Raises TerminalError if it is damaged."""
        try:
            facts: object = json.loads(self.facts_file.read_text())
        except (OSError, ValueError) as error:
            raise TerminalError(f"{self.facts_file} can't be read: {error}: restore it or use another home") from error
        if not isinstance(facts, dict):
            raise TerminalError(f"{self.facts_file} holds no JSON object: restore it or use another home")
        return cast(dict[str, Any], facts)

    def pin(self, name: str, value: str) -> str:
        """The value pinned under `name`; the first caller's `value` stays for ever.

        Raises TransientError where the disk is full, TerminalError where the home can't be written or read.
        """
        if (pinned := self.facts().get(name)) is not None:
            return str(pinned)
        with self.lock("home"):
            facts = self.facts()
            pinned = str(facts.setdefault(name, value))
            replace(self.facts_file, json.dumps(facts).encode())
        return pinned

    @property
    def log(self) -> Path:
        """Folder of the embedded log."""
        return self.path / "log"

    @property
    def lake(self) -> Path:
        """`<topic>/<partition>/<start>.parquet`."""
        return self.path / "lake"

    @property
    def builds(self) -> Path:
        """`<n>/warehouse.duckdb`, a folder a generation."""
        return self.path / "builds"

    @property
    def warehouse(self) -> Path:
        """The symlink that readers open; it points at the newest build."""
        return self.path / "warehouse.duckdb"

    @property
    def embeddings(self) -> Path:
        """The cache of vectors, by text, model and dtype."""
        return self.path / "embeddings"

    @property
    def sets(self) -> Path:
        """`<sha256>.parquet`: the frozen samples that specs name."""
        return self.path / "sets"

    @property
    def checkpoints(self) -> Path:
        """`<checkpoint id>/`: what was registered."""
        return self.path / "checkpoints"

    @property
    def erasures(self) -> Path:
        """`<request>.json`: a certificate for each person that was erased, with the list of files beside it."""
        return self.path / "erasures"

    def artifacts(self, job_id: str, epoch: int) -> Path:
        """Where one attempt of a job keeps its files."""
        return self.path / "artifacts" / job_id / str(epoch)

    @contextmanager
    def lock(self, name: str, wait: float = 600.0) -> Generator[None]:
        """One holder of `name` at a time over all processes; freed by the system when a holder dies.

        Raises TransientError after `wait` seconds and where the disk is full, TerminalError where it can't be held.
        """
        file = self.path / "locks" / f"{name}.lock"
        lock = FileLock(file)
        with writing(file):
            make_folder(file.parent)
            try:
                lock.acquire(timeout=wait)
            except Timeout as error:
                raise TransientError(f"another process holds {file} for over {wait:.0f} s: try later") from error
        try:
            yield
        finally:
            lock.release()
