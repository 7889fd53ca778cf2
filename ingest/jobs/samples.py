"""The frozen set that a spec names: `sets/<sha256>.parquet` in the home, read by training and evals alike."""

import hashlib
import io
from typing import NamedTuple, get_args

import polars as pl

from ingest.home import Home
from models.errors import TerminalError
from models.feedback import TargetKind
from models.specs import DataRef

TEXTS = ("text", "prompt", "completion", "episode")
"""Columns that hold what is read or learnt from: those that are compared with what is held out. A short answer to look
for is none of them: it would be found everywhere."""


class Sample(NamedTuple):
    """One piece of evidence. None where the mart has null, or where an older set lacks the column."""

    sample_id: str
    """The event id of the comment, report or vote behind it."""
    conversation_id: str | None = None
    checkpoint_id: str | None = None
    """The policy that wrote `completion`."""
    text: str | None = None
    prompt: str | None = None
    completion: str | None = None
    is_negative: bool | None = None
    mode_id: str | None = None
    target_kind: TargetKind | None = None
    target_id: str | None = None
    episode: str | None = None
    """A sample of a behaviour as JSON (`evals/behaviours/sample.py`), where the checkpoint has to act."""

    @property
    def texts(self) -> list[str]:
        """What there is to read in it."""
        return [str(value) for name in TEXTS if (value := getattr(self, name, None))]


def read_samples(home: Home, data: DataRef) -> list[Sample]:
    """The samples in the order of their ids. Raises TerminalError where the file is missing or another than named."""
    path = home.sets / f"{data.sha256}.parquet"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise TerminalError(
            f"The set {path} is missing: its spec was issued in another home, or the file was removed."
        ) from None
    found = hashlib.sha256(content).hexdigest()
    if found != data.sha256:
        raise TerminalError(
            f"The set {path} is not what its spec names: SHA-256 {found}. Restore it or issue the spec again."
        )
    frame = pl.read_parquet(io.BytesIO(content))
    if "sample_id" not in frame.columns:
        raise TerminalError(f"The set {path} has no column sample_id; it has {', '.join(frame.columns)}.")
    columns = [name for name in Sample._fields if name in frame.columns]
    samples = [Sample(**row) for row in frame.select(columns).sort("sample_id").iter_rows(named=True)]
    for sample in samples:
        if sample.target_kind is not None and sample.target_kind not in get_args(TargetKind):
            raise TerminalError(
                f"The set {path}, sample {sample.sample_id}: {sample.target_kind!r} is no kind of target."
            )
    return samples
