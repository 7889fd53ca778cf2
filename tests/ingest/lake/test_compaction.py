"""Small segments become large files: each row is seen once, by whoever reads, whatever is killed and whoever sleeps."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from ingest import durable
from ingest.home import Home
from ingest.lake import compaction, segments
from ingest.lake.columns import schema
from ingest.lake.compacted import list_file, publish_compacted, read_compacted
from ingest.lake.compaction import CompactionPolicy, compact, note_generations
from ingest.lake.segments import (
    Footer,
    ensure_empty,
    last_footer,
    live_segments,
    next_position,
    read,
    read_footer,
    segment_path,
    start_of,
    write,
)
from ingest.lake.views import lake_relation
from models.errors import TerminalError, TransientError

NOW = CompactionPolicy(segments=2, rows=60, grace_s=0)
HERE = Path(__file__).parent


@pytest.fixture(params=["home", "a [b]* c?'d"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Also where the folder's name looks like a pattern."""
    home = Home.open(tmp_path / str(request.param))
    ensure_empty(home, "feedback")
    return home


def land(home: Home, count: int, rows: int = 10, errors: int = 1) -> None:
    """`count` segments of partition 1 with a gap of one position after each."""
    for _ in range(count):
        start = next_position(home, "feedback", 1)
        assert write(home, start, frame(start, rows), Footer("feedback", 1, start + rows + 1, "log", "topic", errors))


def frame(start: int, rows: int) -> pl.DataFrame:
    offsets = pl.int_range(start, start + rows, dtype=pl.Int64, eager=True)
    wanted = schema("feedback")
    nulls = [pl.lit(None, kind).alias(name) for name, kind in wanted.items() if name != "log_offset"]
    made = pl.DataFrame({"log_offset": offsets}).with_columns(nulls).with_columns(log_partition=pl.lit(1, pl.Int32))
    return made.select(wanted.names())


def offsets(home: Home) -> list[int]:
    """Of the rows that the list and the live segments have."""
    found = [read(each)["log_offset"] for each in segments.segments(home, "feedback", 1)]
    return pl.concat(found).to_list()


def viewed(home: Home, relation: str | None = None) -> list[int]:
    relation = relation or lake_relation(home, "feedback")
    return [row[0] for row in duckdb.execute(f"select log_offset from ({relation}) order by 1").fetchall()]


def expected(count: int, rows: int = 10) -> list[int]:
    return [start + row for start in range(0, count * (rows + 1), rows + 1) for row in range(rows)]


def physical(home: Home) -> list[str]:
    folder = home.lake / "feedback" / "1"
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def test_segments_become_files_and_every_row_stays_once(home: Home) -> None:
    land(home, 9)
    before = lake_relation(home, "feedback")
    assert compact(home, NOW) == (8, 2, 0)  # six segments are a full file; the newest is never merged
    assert offsets(home) == viewed(home) == viewed(home, before) == expected(9)
    assert next_position(home, "feedback", 1) == 99

    assert compact(home, NOW) == (0, 0, 8)
    assert offsets(home) == viewed(home) == expected(9)
    assert [start_of(each) for each in segments.segments(home, "feedback", 1)] == [0, 66, 88]
    assert [read_footer(each).errors for each in segments.segments(home, "feedback", 1)] == [6, 2, 1]
    assert read_footer(segments.segments(home, "feedback", 1)[0]).next == 66
    assert len(physical(home)) == 3
    last = last_footer(home, "feedback", 1)
    assert last and last[0] == segment_path(home, "feedback", 1, 88)
    with pytest.raises(duckdb.Error, match="raw view of feedback is of an old build"):
        viewed(home, before)


def test_a_file_that_is_not_full_is_taken_in_again_and_a_full_one_never(home: Home) -> None:
    for round_ in range(6):
        land(home, 3)
        compact(home, NOW)
        compact(home, NOW)
        assert offsets(home) == viewed(home) == expected(3 * round_ + 3)
    names = [each.stem for each in segments.segments(home, "feedback", 1)]
    rows = [read(each).height for each in segments.segments(home, "feedback", 1)]
    assert len(names) <= 5
    assert sum(rows[:-1]) == 170
    assert compact(home, NOW) == (0, 0, 0)


def test_columns_that_old_segments_lack_and_new_ones_have_more_are_kept(home: Home) -> None:
    old = frame(0, 10).drop("text")
    write(home, 0, old, Footer("feedback", 1, 10, "log", "topic", 0))
    write(home, 10, frame(10, 5).with_columns(later=pl.lit(7)), Footer("feedback", 1, 15, "log", "topic", 0))
    write(home, 15, frame(15, 5), Footer("feedback", 1, 20, "log", "topic", 0))
    compact(home, NOW)
    merged = read(segments.segments(home, "feedback", 1)[0])
    assert merged["log_offset"].to_list() == list(range(15))
    assert merged["later"].to_list() == [None] * 10 + [7] * 5
    assert merged.schema["text"] == pl.String
    assert viewed(home) == list(range(20))


def test_segments_of_another_log_are_not_put_into_one_file(home: Home) -> None:
    for start, log in ((0, "log"), (10, "log"), (20, "copy"), (30, "copy"), (40, "copy")):
        write(home, start, frame(start, 10), Footer("feedback", 1, start + 10, log, "topic", 0))
    compact(home, NOW)
    assert [(read_footer(each).log, start_of(each)) for each in segments.segments(home, "feedback", 1)] == [
        ("log", 0), ("copy", 20), ("copy", 40),
    ]  # fmt: skip


def test_nothing_is_removed_while_a_build_may_read_it(home: Home) -> None:
    land(home, 4)
    old, new = home.builds / "1", home.builds / "2"
    note_generations(home, old)
    old_view = lake_relation(home, "feedback")
    patient = NOW._replace(grace_s=60.0)
    assert compact(home, NOW).merged == 3
    assert compact(home, NOW).removed == 0
    land(home, 4)
    assert viewed(home, old_view) == viewed(home) == expected(8)

    note_generations(home, new)
    assert compact(home, patient) == (0, 0, 0)
    publish_compacted(home, "feedback", read_compacted(home, "feedback")._replace(published_at=0.0))
    assert compact(home, patient) == (0, 0, 0), "the build that reads the new list is not out for long"
    os.utime(new, (1, 1))
    assert compact(home, patient)[2] == 3
    assert viewed(home) == expected(8)


def test_a_damaged_list_stops_everything(home: Home) -> None:
    land(home, 4)
    list_file(home, "feedback").write_text("{}")
    with pytest.raises(TerminalError, match=r"compacted\.json, which lists the compacted files, can't be read"):
        compact(home, NOW)
    with pytest.raises(TerminalError, match="restore it"):
        segments.segments(home, "feedback", 1)


def test_a_writer_that_slept_does_not_take_a_name_again(home: Home) -> None:
    land(home, 5)
    compact(home, NOW)
    compact(home, NOW)
    assert not segment_path(home, "feedback", 1, 0).exists()
    for start in (0, 11, 22, 33, 44):
        assert not write(home, start, frame(start, 20), Footer("feedback", 1, start + 20, "log", "topic", 0))
    assert offsets(home) == viewed(home) == expected(5)


def test_a_writer_that_slept_right_before_the_link_is_swept_away(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    land(home, 5)

    def asked_before_anything_was_merged(*_: object) -> bool:
        compact(home, NOW)
        compact(home, NOW)
        return False

    monkeypatch.setattr(segments, "is_merged", asked_before_anything_was_merged)
    with pytest.raises(TransientError, match="swept away while its writer slept"):
        write(home, 11, frame(11, 20), Footer("feedback", 1, 31, "log", "topic", 0))
    assert offsets(home) == viewed(home) == expected(5)
    assert not any(name.startswith(".") for name in physical(home))


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("home", ["home"], indirect=True)
def test_broken_off_at_any_step_it_is_right_and_the_next_run_ends_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {"left": 0}

    def step(real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            steps["left"] -= 1
            if steps["left"] == 0:
                raise Killed
            return real(*arguments, **named)

        return counted

    for module, name in (
        (durable.os, "link"), (durable, "sync_folder"), (compaction, "publish_compacted"),
        (compaction, "put_if_absent"), (durable.Path, "unlink"), (durable.Path, "replace"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, step(getattr(module, name)))
    landed = broken = 0
    for at in range(1, 60, 2):
        steps["left"] = 0
        land(home, 3)
        landed += 3
        steps["left"] = at
        try:
            for _ in range(3):
                compact(home, NOW)
        except Killed:
            broken += 1
        steps["left"] = 0
        assert offsets(home) == expected(landed)
        if at % 5 == 0:
            assert viewed(home) == expected(landed)
    assert broken > 10
    compact(home, NOW)
    compact(home, NOW)
    compact(home, NOW)
    listed = read_compacted(home, "feedback").partitions[1]
    live = [each.name for each in live_segments(home, "feedback", 1)]
    assert physical(home) == sorted([f"compacted/{name}" for name in listed.files] + live)
    assert len(live) <= NOW.segments


@pytest.fixture(scope="module")
def start_compactor() -> Iterator[Callable[[Home], int]]:
    """`start_compactor(home)` is the pid of a process that compacts for ever. See `compactor.py`."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, "-W", "error", str(HERE / "compactor.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as forker:
        assert forker.stdin
        assert forker.stdout
        stdin, stdout = forker.stdin, forker.stdout

        def begin(home: Home) -> int:
            stdin.write(json.dumps({"home": str(home.path)}) + "\n")
            stdin.flush()
            return int(stdout.readline())

        yield begin
        stdin.close()


@pytest.mark.parametrize("home", ["home"], indirect=True)
def test_kill_9_at_random_points_loses_and_doubles_nothing(home: Home, start_compactor: Callable[[Home], int]) -> None:
    chance = random.Random(42)
    for round_ in range(1, 9):
        land(home, 5)
        pid = start_compactor(home)
        time.sleep(chance.uniform(0.0, 0.08))
        os.kill(pid, signal.SIGKILL)
        assert offsets(home) == viewed(home) == expected(5 * round_)
    for _ in range(3):
        compact(home, NOW)
    assert offsets(home) == viewed(home) == expected(40)
    assert not any("partial" in name for name in physical(home))


@pytest.mark.parametrize("home", ["home"], indirect=True)
def test_readers_of_another_process_see_every_row_once_throughout(home: Home, tmp_path: Path) -> None:
    progress = tmp_path / "progress"
    progress.mkdir()
    reader = subprocess.Popen(
        [sys.executable, str(HERE / "reading.py"), str(home.path), str(progress)], stdout=subprocess.PIPE, text=True
    )

    def reads() -> list[int]:
        return [int((progress / str(n)).read_text() or 0) if (progress / str(n)).exists() else 0 for n in range(4)]

    def let_all_read_twice() -> None:
        """The time of grace: whoever has listed has read."""
        before, deadline = reads(), time.monotonic() + 60
        while any(now < then + 2 for now, then in zip(reads(), before, strict=True)):
            assert reader.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)

    try:
        for _ in range(4):
            land(home, 4)
            compact(home, NOW)
            let_all_read_twice()
            land(home, 1)
    finally:
        (progress / "stop").touch()
    told = json.loads(reader.communicate(timeout=60)[0])
    assert told["faults"] == []
    assert len(physical(home)) < 30
    for seen in told["seen"]:
        assert len(seen) >= 8
        for count, distinct, lowest, last in seen:
            ended = last // 10  # of partition 1, times ten to its number
            assert count == distinct == len([at for at in expected(20) if at < ended])
            assert lowest == 0
        assert seen == sorted(seen)
