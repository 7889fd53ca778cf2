"""A checkpoint as a folder: `model.safetensors`, `config.json`, and `sha256` over both. No optimiser, no pickles.

Written beside its place, fsynced and renamed, so that a folder with its final name is whole; its digest says whether it
still is.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import uuid4

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as dump_tensors

from ingest.durable import make_folder, put_if_absent, sync_folder
from models.errors import TerminalError
from models.ids import canonical_json

TENSORS, CONFIG, DIGEST = "model.safetensors", "config.json", "sha256"

Config = dict[str, Any]


class Checkpoint(NamedTuple):
    """What a folder held: tensors by name, and the config as JSON types."""

    tensors: dict[str, torch.Tensor]
    config: Config
    sha256: str


def dump(tensors: Mapping[str, torch.Tensor], config: Config) -> dict[str, bytes]:
    """File name -> bytes: equal tensors and config give equal bytes, so that the digest is an identity."""
    files = {
        TENSORS: dump_tensors({name: tensors[name].detach().contiguous().cpu() for name in sorted(tensors)}),
        CONFIG: canonical_json(config).encode(),
    }
    return {**files, DIGEST: _digest(files).encode()}


def sha256_of(files: Mapping[str, bytes]) -> str:
    """The digest that `dump` put among its files."""
    return files[DIGEST].decode()


def save(folder: Path, files: Mapping[str, bytes]) -> str:
    """Make `folder` from what `dump` gave, whole or not at all; returns the digest. A whole one stays as it is.

    Raises TransientError where the disk is full, TerminalError where the folder can't be written.
    """
    sha256 = sha256_of(files)
    if digest_in(folder) == sha256:
        return sha256
    make_folder(folder.parent)
    temporary = folder.with_name(f".{folder.name}.{uuid4().hex}.partial")
    try:
        for name in (TENSORS, CONFIG, DIGEST):  # the digest last
            put_if_absent(temporary / name, files[name])
        if folder.exists():
            shutil.rmtree(folder)  # damaged: its digest is another
        temporary.replace(folder)
    except OSError:
        if digest_in(folder) != sha256:  # else another worker made the same one meanwhile
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sync_folder(folder.parent)
    return sha256


def load(folder: Path, sha256: str | None = None) -> Checkpoint:
    """What is in `folder`. Raises TerminalError where it is missing or damaged, or is not the one with this digest."""
    try:
        files = {name: (folder / name).read_bytes() for name in (TENSORS, CONFIG, DIGEST)}
    except FileNotFoundError as error:
        raise TerminalError(f"The checkpoint {folder} lacks {error.filename}: restore it or train it again.") from None
    found = _digest(files)
    if found != sha256_of(files) or found != (sha256 or found):
        raise TerminalError(
            f"The checkpoint {folder} is damaged: its digest is {found}, not {sha256 or sha256_of(files)}. "
            "Restore it or train it again."
        )
    try:
        return Checkpoint(load_tensors(files[TENSORS]), cast(Config, json.loads(files[CONFIG])), found)
    except (SafetensorError, ValueError) as error:
        raise TerminalError(f"The checkpoint {folder} can't be read: {error}") from error


def _digest(files: Mapping[str, bytes]) -> str:
    parts = [[name, hashlib.sha256(files[name]).hexdigest()] for name in (CONFIG, TENSORS)]
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


def digest_in(folder: Path) -> str | None:
    """The digest of what is in `folder`; None where it is no whole checkpoint."""
    try:
        return load(folder).sha256
    except TerminalError:
        return None
