"""What was made of the lake, outside the warehouse: frozen sets, files of jobs, and what killed writers left behind."""

import shutil
from pathlib import Path

import polars as pl

from ingest.durable import TEMPORARY
from ingest.erasure.journal import Touched, note
from ingest.erasure.lake_files import files, scanned, sha256
from ingest.erasure.requests import Request
from ingest.erasure.rules import key_of
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.lake.columns import schema
from ingest.log.base import EventLog
from ingest.log.publish import publish
from ingest.log.replay import replay
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.checkpoint import CheckpointRegistered
from models.events.spec import SpecRetired
from models.ids import event_id

SOURCE = "flywheel/erase"
REASON = "a part of its data was erased"


def erased_keys(home: Home, requests: list[Request]) -> dict[str, str]:
    """Event key -> request key, of every event in the lake that `requests` have taken the content of."""
    found: dict[str, str] = {}
    columns = ("source", "event_id", "erased", "error")
    among = pl.col("erased").is_in([request.key for request in requests])
    for topic in ("responses", "feedback"):
        for _, frame in scanned(files(home, topic), columns, schema(topic), among=among):
            events = frame.filter(pl.col("error").is_null()).select(key_of().alias("key"), "erased")
            found |= dict(events.drop_nulls().iter_rows())
    return found


def remove_sets(home: Home, keys: dict[str, str], requests: list[Request]) -> list[str]:
    """Remove the frozen sets that hold a sample of these events: their names say what was in them. Names removed."""
    stems = {request.key: request.stem for request in requests}
    removed: list[str] = []
    for file in sorted(home.sets.glob("*.parquet")):
        samples = pl.read_parquet(file, glob=False)
        if "sample_id" not in samples.columns:
            continue
        counts: dict[str, int] = {}
        for sample in samples["sample_id"].to_list():
            if sample in keys:
                counts[keys[sample]] = counts.get(keys[sample], 0) + 1
        for request, rows in counts.items():
            remove(home, stems[request], file, rows)
        if counts:
            removed.append(file.stem)
    return removed


def retire_specs(log: EventLog, keys: dict[str, str]) -> list[str]:
    """Retire the specs whose evidence has lost an event, for all readers of the log; ids of those that are retired now
    or were before for the same."""
    board = Board(log)
    board.refresh(["specs"])
    touched = [spec_id for spec_id, issued in board.specs.items() if any(key in keys for key in issued.spec.evidence)]
    publish(
        log,
        [
            SpecRetired(id=event_id("spec_retired", spec_id), source=SOURCE, spec_id=spec_id, reason=REASON)
            for spec_id in touched
            if spec_id not in board.retired
        ],
    )
    return sorted(touched)


def remove_artifacts(home: Home, log: EventLog, specs: list[str], stems: list[str]) -> None:
    """Remove what jobs of retired specs keep to go on from: they will not go on."""
    board = Board(log)
    board.refresh()
    for job in board.jobs.values():
        if job.spec_id in specs:
            folder = home.path / "artifacts" / job.job_id
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                for stem in stems:
                    remove(home, stem, file, 0)
            shutil.rmtree(folder, ignore_errors=True)


def trained_on(log: EventLog, specs: list[str]) -> list[str]:
    """Checkpoints that were trained on the data of these specs, and those that were made from one of them."""
    registered: list[CheckpointRegistered] = []
    for record in replay(log, "checkpoints"):
        try:
            event: AnyEvent = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, CheckpointRegistered):
            registered.append(event)
    found: set[str] = set()
    while True:
        new = {
            event.checkpoint_id
            for event in registered
            if event.spec_id in specs or event.base_checkpoint_id in found or found.intersection(event.parent_ids)
        }
        if new <= found:
            return sorted(found)
        found |= new


def remove_leftovers(home: Home, stem: str) -> None:
    """Remove what writers that were killed have left where texts are written.

    One that is at work now finds its file gone as it links it, and starts over: nothing is lost.
    """
    for folder in (home.lake, home.sets, home.embeddings):
        for file in sorted(folder.rglob(f".*{TEMPORARY}")):
            if file.relative_to(folder).parts[1:2] != ("schema",):
                remove(home, stem, file, 0)


def remove(home: Home, stem: str, file: Path, events: int) -> None:
    """Note that a file goes, and remove it. One that is gone already is no fault."""
    try:
        before = sha256(file)
    except FileNotFoundError:
        return
    note(home, stem, Touched(file.relative_to(home.path).as_posix(), before, None, events))
    file.unlink(missing_ok=True)
