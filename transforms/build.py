"""A build: the lake into a new generation of the warehouse, published whole.

The live file is copied, dbt builds into the copy, and a symlink is swapped: readers see the old generation or the new
one, never a lock. Killed at any point it leaves the published one as it was, and the next build clears away what is
left. Into a copy only what has arrived since is built, and of the marts only what that touches; it equals a cold build.
"""

import fcntl
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
from ingest.lake.compaction import note_generations, reads_by_the_newest_lists
from models.errors import TransientError
from models.topics import TOPICS
from transforms.arrivals import Last, add_views, landed_since
from transforms.code import code_digest
from transforms.comments import write_comments
from transforms.experiments.metrics import own_digest
from transforms.merging import UNMERGED
from transforms.run import HowToRun, descriptions, run_dbt
from transforms.waiting import WAITING, waiting_texts

GRACE_S = 30.0
"""A build stays for this long after the next one: a reader may be about to open it. Who has it open keeps it."""

FICLONE = 0x40049409
"""Linux: `ioctl_ficlone(2)`."""

Progress = Callable[[int, int], None]
"""Told (done, total) models and tests."""


class BuildPolicy(NamedTuple):
    """How to build."""

    keep: int = 5
    """Builds that stay on disk, the published one among them."""
    tested: bool = True
    """Run the data tests, and tidy the file. False: publish without, and say so in `flywheel_build`."""
    backfill_rows: int | None = None
    """About how many records that came by a lane for backfills one build takes, so that fresh ones need not wait for
    the rest, which the next builds take. None: all."""
    embed: bool = True
    """Embed all new texts. False: what has no vector yet waits for a mode, and `flywheel_build` says how many do."""


class Build(NamedTuple):
    """What `build` did."""

    number: int
    seconds: float
    changed: bool
    """False: nothing had landed since the published build, which stays."""


def build(
    home: Home, progress: Progress | None = None, *, full_refresh: bool = False, policy: BuildPolicy | None = None
) -> Build:
    """Build the warehouse of `home` and publish it, one build at a time over all processes.

    `full_refresh` builds from nothing but the lake, as a change of this code does by itself, and an erasure: DuckDB
    leaves what is deleted in a file's free blocks. What the lake has of erased persons goes first. Raises FlywheelError
    that names the models and tests that failed; then the published build stays.
    """
    started = time.monotonic()
    policy = policy or BuildPolicy()
    with home.lock("build"):
        _clear(home)
        sweep(home)
        made_from = _MadeFrom(f"{code_digest()}{own_digest(home.path)}", generation(home))
        live = published(home)
        state = None if live is None else _state(live / "warehouse.duckdb")
        if live is not None and state is not None and state.made_from == made_from and not full_refresh:
            if not _is_due(home, live, state, policy):
                return Build(int(live.name), time.monotonic() - started, changed=False)
            base = live / "warehouse.duckdb"
        else:
            base, state = None, None
        number = _next_number(home)
        folder = home.builds / f".{number}"
        try:
            _make(home, folder, base, number, made_from, state, policy, progress)
            _publish(home, folder, number, policy.keep)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Build(number, time.monotonic() - started, changed=True)


def _make(  # noqa: PLR0917
    home: Home,
    folder: Path,
    base: Path | None,
    number: int,
    made_from: "_MadeFrom",
    state: "_State | None",
    policy: BuildPolicy,
    progress: Progress | None,
) -> None:
    """Build into `folder`, from a copy of `base`, which says `state`, if there is one."""
    file = folder / "warehouse.duckdb"
    try:
        folder.mkdir(parents=True)
        lists = note_generations(home, folder)
        if base is not None:
            _copy(base, file)
        arrived = add_views(home, file, lists, state.last if state else {}, policy.backfill_rows)
        # Tests that were left out the last time are run over all; else over what is made.
        part = state is not None and not arrived.touches_all and (state.tested or not policy.tested)
        how = HowToRun(
            full_refresh=state is not None and arrived.touches_all,
            arrived=arrived if part else None,
            tested=policy.tested,
            embed=policy.embed,
            adds=base is not None,
            merge=policy.tested,
        )
        run_dbt(home, file, progress, how)
        write_comments(file, descriptions(home))
        _finish(file, number, made_from, tested=policy.tested)
    except (OSError, duckdb.Error) as error:
        said = str(error).splitlines()[0]
        raise TransientError(f"build {number} in {home.builds} broke off, nothing is published: {said}") from error


def _copy(base: Path, file: Path) -> None:
    """`base` as `file`: by sharing its blocks where the file system can (XFS, Btrfs), which costs nothing."""
    with base.open("rb") as source, file.open("wb") as target:
        try:
            fcntl.ioctl(target.fileno(), FICLONE, source.fileno())
        except OSError:
            shutil.copyfile(base, file)


def published(home: Home) -> Path | None:
    """The folder of the build that readers open; None before the first."""
    try:
        return home.warehouse.resolve(strict=True).parent
    except FileNotFoundError:
        return None


class _MadeFrom(NamedTuple):
    """What a build can't be continued under another of."""

    code: str
    """With the metrics that the home has of its own."""
    erasures: int
    """How often the lake had lost content."""


class _State(NamedTuple):
    made_from: _MadeFrom
    tested: bool
    texts_waiting: int
    """Texts that have no mode because they were not embedded."""
    last: Last


def _state(file: Path) -> _State | None:
    """What a published file says it was made from; None where it can't be read, so that the next build is cold."""
    try:
        with duckdb.connect(file, read_only=True) as connection:
            layout, tested, waiting, *made_from = connection.execute(
                "select layout_version, tested, texts_waiting, code, erasures from flywheel_build"
            ).fetchall()[0]
            positions = connection.execute(
                "select topic, log_partition, last_offset from flywheel_build_positions"
            ).fetchall()
    except (duckdb.Error, IndexError):
        return None
    return (
        _State(
            _MadeFrom(*made_from), tested, waiting, {(topic, partition): last for topic, partition, last in positions}
        )
        if layout == LAYOUT_VERSION
        else None
    )


def _is_due(home: Home, live: Path, state: _State, policy: BuildPolicy) -> bool:
    """Whether another build would have anything to add to the published one."""
    return (
        landed_since(home, state.last)
        or (policy.tested and not state.tested)
        or (state.texts_waiting > 0 and (policy.embed or bool(waiting_texts(home, known=True, at_most=1))))
        or not reads_by_the_newest_lists(home, live)
    )


def _finish(file: Path, number: int, made_from: _MadeFrom, *, tested: bool) -> None:
    """Say in the file what it is, let go of what only the build needs, and make it durable."""
    with duckdb.connect(file, config=UNMERGED) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(
            "create or replace table flywheel_build as select ?::bigint as number, ?::timestamptz as built_at, "
            "?::varchar as code, ?::integer as layout_version, ?::bigint as erasures, ?::boolean as tested, "
            f"(select count(*) from ({WAITING})) as texts_waiting",
            [number, datetime.now(UTC), made_from.code, LAYOUT_VERSION, made_from.erasures, tested],
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
        for (table,) in connection.execute(
            "select table_name from information_schema.tables "
            "where regexp_matches(table_name, '^int_(touched|former|changed)_')"
        ).fetchall():
            connection.execute(f'truncate "{table}"')
        connection.execute("drop schema arrivals cascade")
        connection.execute("checkpoint")
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
    sync_folder(file.parent)


def _publish(home: Home, folder: Path, number: int, keep: int) -> None:
    """Give the build its name, swap the link to it, and let go of old builds."""
    final = folder.with_name(str(number))
    folder.rename(final)
    sync_folder(home.builds)
    link = home.path / f".warehouse.{number}"
    link.unlink(missing_ok=True)
    link.symlink_to(final.joinpath("warehouse.duckdb").relative_to(home.path))
    link.replace(home.warehouse)
    sync_folder(home.path)
    for old, next_ in zip(sorted(_numbers(home))[:-keep], sorted(_numbers(home))[1:], strict=False):
        if time.time() - (home.builds / str(next_)).stat().st_mtime > GRACE_S:
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
