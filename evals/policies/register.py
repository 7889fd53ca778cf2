"""A policy from outside becomes a checkpoint of this home: its folder is copied, and the log says that it is there.

Left out: downloading; a folder has to be on this machine.
"""

import hashlib
import shutil
from pathlib import Path
from uuid import uuid4

from evals.policies.settings import FILE, AnswersEntry, EndpointEntry, entries
from ingest.durable import make_folder, sync_folder, writing
from ingest.home import Home
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from models.ids import canonical_json, content_id, event_id

METHOD = "from_outside"
SOURCE = "flywheel/evals"


def registered(
    home: Home, checkpoint_id: str, folder: Path | None = None, *, parents: tuple[str, ...] = ()
) -> CheckpointRegistered:
    """The event that registers it, once its folder lies in the home. Equal folders give equal events.

    Without a folder, policies.yml of the home must say how it is asked. Raises TerminalError where it doesn't, and for
    a folder without a config.json.
    """
    if folder is None:
        if not isinstance(entries(home).get(checkpoint_id), EndpointEntry | AnswersEntry):
            raise TerminalError(
                f"{home.path / FILE} doesn't say how {checkpoint_id} is asked: give it an entry there with `url` and "
                "`model`, or with `answers`; or give --folder"
            )
        return _event(checkpoint_id, None, None, parents)
    if not (folder / "config.json").is_file():
        raise TerminalError(f"{folder} holds no config.json: give --folder one that transformers have written")
    sha256 = digest_of(folder)
    place = home.checkpoints / content_id("policy", [checkpoint_id, sha256])
    if not place.exists():
        with writing(place):
            make_folder(place.parent)
            beside = place.with_name(f".{place.name}.{uuid4().hex}.partial")
            shutil.copytree(folder, beside)
            beside.rename(place)
            sync_folder(place.parent)
    return _event(checkpoint_id, sha256, place.relative_to(home.path).as_posix(), parents)


def _event(checkpoint_id: str, sha256: str | None, path: str | None, parents: tuple[str, ...]) -> CheckpointRegistered:
    return CheckpointRegistered(
        id=event_id("policy", checkpoint_id, sha256, *parents),
        source=SOURCE,
        checkpoint_id=checkpoint_id,
        role="policy",
        method=METHOD,
        parent_ids=parents,
        artifact_sha256=sha256,
        path=path,
    )


def digest_of(folder: Path) -> str:
    """SHA-256 (hex) over the names and contents of all files in `folder`."""
    parts: list[list[str]] = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        parts.append([path.relative_to(folder).as_posix(), digest])
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()
