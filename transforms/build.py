"""A build: the lake into a new generation of the warehouse, published whole.

The live file is copied, dbt builds into the copy, and a symlink is swapped: readers see the old generation or the new
one, never a lock. Killed at any point it leaves the published one as it was, and the next build clears away what is
left. Into a copy only what has arrived since is built, and of the marts only what that touches; it equals a cold build.
"""

import os
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.durable import sync_folder
from ingest.erasure.sweep import generation, sweep
from ingest.home import LAYOUT_VERSION, Home
from ingest.lake.compacted import Compacted
from ingest.lake.compaction import note_generations
from ingest.lake.segments import ensure_empty, partitions, segments, start_of
from ingest.lake.views import files_relation, lake_relation
from models.errors import TransientError
from models.topics import TOPICS
from transforms.code import code_digest
from transforms.run import HowToRun, run_dbt

KEPT = 5
"""Builds that stay on disk."""
GRACE_S = 600.0
"""An older build stays for this long after it was made: a reader may have just opened it."""

Progress = Callable[[int, int], None]
"""Told (done, total) models and tests."""


class Build(NamedTuple):
    """What `build` did."""

    number: int
    seconds: float
    changed: bool
    """False: nothing had landed since the published build, which stays."""


def build(home: Home, progress: Progress | None = None, *, full_refresh: bool = False) -> Build:
    """Build the warehouse of `home` and publish it, one build at a time over all processes.

    `full_refresh` builds from nothing but the lake, as a change of this code does by itself, and an erasure: DuckDB
    leaves what is deleted in a file's free blocks. What the lake has of erased persons goes first. Raises FlywheelError
    that names the models and tests that failed; then the published build stays.
    """
    started = time.monotonic()
    with home.lock("build"):
        _clear(home)
        sweep(home)
        made_from = _MadeFrom(code_digest(), generation(home))
        live = published(home)
        state = None if live is None else _state(live / "warehouse.duckdb")
        if live is not None and state is not None and state.made_from == made_from and not full_refresh:
            if not _landed_since(home, state):
                return Build(int(live.name), time.monotonic() - started, changed=False)
            base = live / "warehouse.duckdb"
        else:
            base = None
        number = _next_number(home)
        folder = home.builds / f".{number}"
        try:
            _make(home, folder, base, number, made_from, progress)
            _publish(home, folder, number)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Build(number, time.monotonic() - started, changed=True)


def _make(  # noqa: PLR0917
    home: Home, folder: Path, base: Path | None, number: int, made_from: "_MadeFrom", progress: Progress | None
) -> None:
    """Build into `folder`, from a copy of `base` if there is one."""
    file = folder / "warehouse.duckdb"
    try:
        folder.mkdir(parents=True)
        lists = note_generations(home, folder)
        if base is not None:
            shutil.copyfile(base, file)
        _add_raw_views(home, file, lists)
        run_dbt(home, file, progress)
        _finish(file, number, made_from)
    except (OSError, duckdb.Error) as error:
        said = str(error).splitlines()[0]
        raise TransientError(f"build {number} in {home.builds} broke off, nothing is published: {said}") from error


def published(home: Home) -> Path | None:
    """The folder of the build that readers open; None before the first."""
    try:
        return home.warehouse.resolve(strict=True).parent
    except FileNotFoundError:
        return None


class _MadeFrom(NamedTuple):
    """What a build can't be continued under another of."""

    code: str
    erasures: int
    """How often the lake had lost content."""


class _State(NamedTuple):
    made_from: _MadeFrom
    last: dict[tuple[str, int], int]
    """(topic, partition) -> last offset that is in the build."""


def _state(file: Path) -> _State | None:
    """What a published file says it was made from; None where it can't be read, so that the next build is cold."""
    try:
        with duckdb.connect(file, read_only=True) as connection:
            layout, *made_from = connection.execute(
                "select layout_version, code, erasures from flywheel_build"
            ).fetchall()[0]
            positions = connection.execute(
                "select topic, log_partition, last_offset from flywheel_build_positions"
            ).fetchall()
    except (duckdb.Error, IndexError):
        return None
    return (
        _State(_MadeFrom(*made_from), {(topic, partition): last for topic, partition, last in positions})
        if layout == LAYOUT_VERSION
        else None
    )


def _landed_since(home: Home, state: _State) -> bool:
    """Whether the lake has a segment that starts beyond what the build has read."""
    return any(
        start_of(landed[-1]) > state.last.get((topic, int(partition.name)), -1)
        for topic in TOPICS
        for partition in (home.lake / topic).glob("[0-9]*")
        if (landed := segments(home, topic, int(partition.name)))
    )


def _add_raw_views(home: Home, file: Path, lists: dict[str, Compacted]) -> None:
    """`raw.<topic>`: the lake's segments as they are now and as they will be, for readers and for dbt."""
    with duckdb.connect(file) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("create schema if not exists raw")
        for topic in TOPICS:
            ensure_empty(home, topic)
            connection.execute(f'create or replace view raw."{topic}" as {lake_relation(home, topic, lists[topic])}')


def _finish(file: Path, number: int, made_from: _MadeFrom) -> None:
    """Say in the file what it is, and make it durable."""
    with duckdb.connect(file) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(
            "create or replace table flywheel_build as select ?::bigint as number, ?::timestamptz as built_at, "
            "?::varchar as code, ?::integer as layout_version, ?::bigint as erasures",
            [number, datetime.now(UTC), made_from.code, LAYOUT_VERSION, made_from.erasures],
        )
        positions = " union all ".join(
            f"select '{topic}' as topic, log_partition, max(log_offset) as last_offset, count(*) as records, "
            f"max(received_at) as received_at from base_{topic} group by log_partition"
            for topic in TOPICS
        )
        connection.execute(f"create or replace table flywheel_build_positions as {positions} order by 1, 2")
        # dbt leaves the intermediate tables of its incremental Python models behind.
        for (table,) in connection.execute(
            "select table_name from information_schema.tables where contains(table_name, '__dbt_')"
        ).fetchall():
            connection.execute(f'drop table "{table}"')
        connection.execute("checkpoint")
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
    sync_folder(file.parent)


def _publish(home: Home, folder: Path, number: int) -> None:
    """Give the build its name, swap the link to it, and let go of old builds."""
    final = folder.with_name(str(number))
    folder.rename(final)
    sync_folder(home.builds)
    link = home.path / f".warehouse.{number}"
    link.unlink(missing_ok=True)
    link.symlink_to(final.joinpath("warehouse.duckdb").relative_to(home.path))
    link.replace(home.warehouse)
    sync_folder(home.path)
    for old in sorted(_numbers(home))[:-KEPT]:
        if time.time() - (home.builds / str(old)).stat().st_mtime > GRACE_S:
            shutil.rmtree(home.builds / str(old))


def _clear(home: Home) -> None:
    """Remove what killed builds left: only the holder of the lock may."""
    home.builds.mkdir(exist_ok=True)
    for leftover in home.builds.glob(".*"):
        shutil.rmtree(leftover)
    for leftover in home.path.glob(".warehouse.*"):
        leftover.unlink()


def _numbers(home: Home) -> list[int]:
    return [int(folder.name) for folder in home.builds.iterdir() if folder.name.isdigit()]


def _next_number(home: Home) -> int:
    """Beyond every build there has been, published or not, so that none is published over a newer one."""
    live = published(home)
    return max([*_numbers(home), int(live.name) if live else 0], default=0) + 1
