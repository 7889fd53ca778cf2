"""How far an attempt came, on disk, so that the next one goes on from there. What the bytes mean is the job kind's own.

`state-<step>.bin` is written, fsynced and renamed, its digest file last: a state without a digest, or with another one,
was cut short by a crash and the one before it counts. The last two are kept for that.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from ingest.durable import replace

KEPT = 2


class SavedState(NamedTuple):
    """The state after `step`, whole."""

    step: int
    sha256: str
    content: bytes


def save_state(folder: Path, step: int, content: bytes) -> str:
    """Keep `content` as the state after `step`; returns its SHA-256 (hex) once it is durable."""
    sha256 = hashlib.sha256(content).hexdigest()
    replace(folder / f"state-{step:012d}.bin", content)
    replace(folder / f"state-{step:012d}.sha256", sha256.encode())
    for digest_file in sorted(folder.glob("state-*.sha256"))[:-KEPT]:
        digest_file.unlink()
        digest_file.with_suffix(".bin").unlink(missing_ok=True)
    return sha256


def latest_state(folder: Path) -> SavedState | None:
    """The newest state in `folder` that is whole; None if there is none, or no folder."""
    for digest_file in sorted(folder.glob("state-*.sha256"), reverse=True):
        try:
            sha256 = digest_file.read_text()
            content = digest_file.with_suffix(".bin").read_bytes()
        except FileNotFoundError:
            continue  # its owner still runs and has just removed it: a newer one was passed already, or is damaged
        if hashlib.sha256(content).hexdigest() == sha256:
            return SavedState(int(digest_file.stem.removeprefix("state-")), sha256, content)
    return None
