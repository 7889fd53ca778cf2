"""Compaction: the small segments of a partition become few large files, while sinks write and readers read.

First a list is published that names the new files, and the watermark before which segments count no more: whoever lists
or builds from then on reads the new files. The merged segments are removed once that has been so for a while, and a
build that reads by the new list has been out for as long; the raw view of an older one then says so instead of missing
rows. No name below a watermark is linked again: a writer looks at the watermark once its content lies beside the name,
and what lay there before is swept away before the names go. Killed at any point, the next run goes on. Left out:
erasing, which takes the same lock.
"""

import json
import time
from pathlib import Path
from typing import NamedTuple, cast

import polars as pl

from ingest.durable import put_if_absent, sync_folder, unfinished
from ingest.home import Home
from ingest.lake.compacted import Compacted, Merged, compacted_folder, publish_compacted, read_compacted
from ingest.lake.segments import Footer, encoded, live_segments, partitions, read, read_footer, start_of
from ingest.lake.views import is_uniform
from models.topics import TOPICS

LOCK = "compaction"
GENERATIONS = "lake.json"
"""In a build's folder: topic -> generation of the list that its views read by."""

GRACE_S = 600.0
"""Merged segments stay at least this long after the list that replaces them."""


class CompactionPolicy(NamedTuple):
    """When segments are merged and how large the files get."""

    segments: int = 16
    """A partition is left alone until it has more live segments than this. Its newest is never merged."""
    rows: int = 500_000
    bytes: int = 128 * 1024 * 1024
    """A file that has reached either is full, and never merged again."""
    grace_s: float = GRACE_S


class Compaction(NamedTuple):
    """What one run did."""

    merged: int = 0
    """Segments and files that were merged."""
    into: int = 0
    """Files that were made of them."""
    removed: int = 0
    """Segments and files that an earlier run had merged, and that nobody reads any more."""


class _Run(NamedTuple):
    """Files that become one."""

    files: list[Path]
    footers: list[Footer]


def compact(home: Home, policy: CompactionPolicy | None = None) -> Compaction:
    """Merge what is due in all topics, and remove what earlier runs have merged. One run at a time over all processes.

    Raises TransientError where the disk is full or the lock is held for long; nothing is lost, call again.
    """
    policy = policy or CompactionPolicy()
    removed = 0
    if any(_is_due(read_compacted(home, topic), policy) for topic in TOPICS):
        # Who has noted the older list for a build has published it by then, or has broken off.
        with home.lock("build"), home.lock(LOCK):
            removed = sum(_settle(home, topic, policy) for topic in TOPICS)
    merged = into = 0
    with home.lock(LOCK):
        for topic in TOPICS:
            compacted = read_compacted(home, topic)
            if compacted.emptied < compacted.generation:
                continue
            removed += _remove(home, topic, compacted)
            done = _merge(home, topic, compacted, policy)
            merged, into = merged + done.merged, into + done.into
    return Compaction(merged, into, removed)


def note_generations(home: Home, build: Path) -> dict[str, Compacted]:
    """The lists that a build is to read by, noted in its folder `build`. The caller holds the lock on building.

    Where its view has to open merged segments, too, they must stay: then an older generation is noted.
    """
    lists = {topic: read_compacted(home, topic) for topic in TOPICS}
    said = {
        topic: compacted.generation if is_uniform(home, topic, compacted) else compacted.emptied
        for topic, compacted in lists.items()
    }
    put_if_absent(build / GENERATIONS, json.dumps(said).encode())
    return lists


def reads_by_the_newest_lists(home: Home, build: Path) -> bool:
    """Whether the views of a build read by the lists of now."""
    said = _noted(build)
    return all(said.get(topic, 0) == read_compacted(home, topic).generation for topic in TOPICS)


def _noted(build: Path) -> dict[str, int]:
    try:
        return cast(dict[str, int], json.loads((build / GENERATIONS).read_text()))
    except FileNotFoundError:
        return {}  # made before there was compaction


def _merge(home: Home, topic: str, compacted: Compacted, policy: CompactionPolicy) -> Compaction:
    """Publish a new list of `topic` where a partition has enough to merge. The one before is settled."""
    all_merged = dict(compacted.partitions)
    merged = into = 0
    for partition in partitions(home, topic):
        before = all_merged.get(partition, Merged())
        kept, runs = _plan(home, topic, partition, before, policy)
        if not runs:
            continue
        names = [_write(home, topic, partition, run) for run in runs]
        all_merged[partition] = Merged(runs[-1].footers[-1].next, (*kept, *names))
        merged, into = merged + sum(len(run.files) for run in runs), into + len(runs)
    if into:
        publish_compacted(home, topic, Compacted(compacted.generation + 1, compacted.emptied, time.time(), all_merged))
    return Compaction(merged, into)


def _plan(
    home: Home, topic: str, partition: int, before: Merged, policy: CompactionPolicy
) -> tuple[tuple[str, ...], list[_Run]]:
    """The files that stay as they are, and what is to become a file each; no runs where little is to gain."""
    live = [each for each in live_segments(home, topic, partition) if start_of(each) >= before.watermark][:-1]
    if len(live) < policy.segments:
        return before.files, []
    folder = compacted_folder(home, topic, partition)
    kept, taken = list(before.files), list[Path]()
    # A file is taken in again only by about as much as it has, so that each row is written again a few times at most.
    weight = sum(each.stat().st_size for each in live)
    while kept and not _is_full(last := folder / kept[-1], policy) and last.stat().st_size <= 2 * weight:
        weight += last.stat().st_size
        taken.insert(0, folder / kept.pop())
    runs: list[_Run] = []
    rows = size = 0
    for file in [*taken, *live]:
        footer = read_footer(file)
        of_one_log = bool(runs) and runs[-1].footers[-1][3:5] == footer[3:5]
        if not of_one_log or rows >= policy.rows or size >= policy.bytes:
            runs.append(_Run([], []))
            rows = size = 0
        runs[-1].files.append(file)
        runs[-1].footers.append(footer)
        rows, size = rows + _rows(file), size + file.stat().st_size
    return tuple(kept), runs


def _write(home: Home, topic: str, partition: int, run: _Run) -> str:
    """One file with the rows of a run, in the order of arrival; its name."""
    # Columns are united: the oldest segments lack some, and those of a newer version have more.
    frame = pl.concat([read(file) for file in run.files], how="diagonal_relaxed").sort("log_offset")
    errors = sum(footer.errors for footer in run.footers)
    footer = run.footers[-1]._replace(errors=errors)
    name = f"{start_of(run.files[0]):020d}-{footer.next:020d}.parquet"
    put_if_absent(compacted_folder(home, topic, partition) / name, encoded(frame, footer))
    return name


def _is_due(compacted: Compacted, policy: CompactionPolicy) -> bool:
    """Whether there is a list that merged segments may be removed for."""
    return compacted.emptied < compacted.generation and time.time() - compacted.published_at >= policy.grace_s


def _settle(home: Home, topic: str, policy: CompactionPolicy) -> int:
    """Say that what the list has merged goes, and remove it, if nobody reads it any more; how many files that were."""
    compacted = read_compacted(home, topic)
    if not _is_due(compacted, policy) or _is_read_by_an_older_list(home, topic, compacted.generation, policy):
        return 0
    compacted = compacted._replace(emptied=compacted.generation)
    publish_compacted(home, topic, compacted)
    return _remove(home, topic, compacted)


def _remove(home: Home, topic: str, compacted: Compacted) -> int:
    """Remove the segments below the watermarks, and the files that are not on the list: what a killed run left, too."""
    return sum(
        _remove_in(home, topic, partition, compacted.partitions.get(partition, Merged()))
        for partition in partitions(home, topic)
    )


def _remove_in(home: Home, topic: str, partition: int, merged: Merged) -> int:
    folder = compacted_folder(home, topic, partition)
    for begun, name in unfinished(folder.parent).items():
        if name.partition(".")[0].isdecimal() and int(name.partition(".")[0]) < merged.watermark:
            begun.unlink(missing_ok=True)
    gone = [each for each in live_segments(home, topic, partition) if start_of(each) < merged.watermark]
    if folder.exists():
        gone += [each for each in folder.iterdir() if each.name not in merged.files]
    for each in gone:
        each.unlink()
    if gone:
        sync_folder(folder.parent)
    return len(gone)


def _is_read_by_an_older_list(home: Home, topic: str, generation: int, policy: CompactionPolicy) -> bool:
    """Whether there are builds by an older list that were the newest ones until just now."""
    older, newer = False, list[float]()
    for build in _folders(home.builds):
        if _noted(build).get(topic, 0) < generation:
            older = True
        else:
            newer.append(build.stat().st_mtime)
    return older and (not newer or time.time() - min(newer) < policy.grace_s)


def _folders(folder: Path) -> list[Path]:
    return [inner for inner in folder.iterdir() if inner.name.isdecimal()] if folder.exists() else []


def _is_full(file: Path, policy: CompactionPolicy) -> bool:
    return file.stat().st_size >= policy.bytes or _rows(file) >= policy.rows


def _rows(file: Path) -> int:
    return int(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item())
