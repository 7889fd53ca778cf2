from pathlib import Path

import polars as pl
import pytest

from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.segments import (
    Footer,
    ensure_empty,
    next_position,
    read,
    read_footer,
    segment_path,
    segments,
    start_of,
    write,
)
from models.errors import TerminalError


@pytest.fixture(params=["home", "a [b]* c?'d", "a=b"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Also where the folder's name looks like a pattern, or like a column of Hive's."""
    return Home.open(tmp_path / str(request.param))


def footer(next_offset: int, layout: int = 1) -> Footer:
    return Footer("feedback", 1, next_offset, "log", "topic", errors=1, layout=layout)


def frame(*offsets: int) -> pl.DataFrame:
    return pl.DataFrame({"log_offset": offsets}, schema_overrides={"log_offset": pl.Int64})


def test_a_segment_says_where_to_read_next_which_its_rows_do_not(home: Home) -> None:
    assert next_position(home, "feedback", 1) == 0
    assert write(home, 0, frame(0, 1, 5), footer(9))
    assert write(home, 9, frame(9, 11), footer(13))

    assert next_position(home, "feedback", 1) == 13
    assert [start_of(segment) for segment in segments(home, "feedback", 1)] == [0, 9]
    first = segment_path(home, "feedback", 1, 0)
    assert first.name == "00000000000000000000.parquet"
    assert read_footer(first) == footer(9)
    assert read(first)["log_offset"].to_list() == [0, 1, 5]


def test_a_name_is_taken_once(home: Home) -> None:
    assert write(home, 0, frame(0), footer(1))
    assert not write(home, 0, frame(0, 1), footer(2))
    assert read(segment_path(home, "feedback", 1, 0)).height == 1
    assert next_position(home, "feedback", 1) == 1


def test_what_is_not_whole_is_no_segment(home: Home) -> None:
    write(home, 0, frame(0), footer(1))
    (segment_path(home, "feedback", 1, 1).parent / ".00000000000000000001.parquet.ab.partial").touch()
    assert next_position(home, "feedback", 1) == 1


def test_a_damaged_segment_and_one_of_a_newer_version_are_named(home: Home) -> None:
    path = segment_path(home, "feedback", 1, 0)
    write(home, 0, frame(0), footer(1, layout=2))
    with pytest.raises(TerminalError, match=r"0\.parquet was written by a newer version \(layout 2; .*update Flywheel"):
        read_footer(path)

    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TerminalError, match=r"0\.parquet can't be read .*move it away"):
        next_position(home, "feedback", 1)
    path.write_bytes(b"")
    with pytest.raises(TerminalError, match="move it away"):
        read_footer(path)

    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(TerminalError, match=r"KeyError: 'flywheel.topic'"):
        read_footer(path)


def test_the_empty_file_has_every_column_and_is_written_anew_only_when_columns_came(home: Home) -> None:
    path = ensure_empty(home, "feedback")
    assert read(path).schema == schema("feedback")
    assert read(path).height == 0
    first = path.stat().st_ino

    ensure_empty(home, "feedback")
    assert path.stat().st_ino == first

    schema("feedback").to_frame().drop("text").write_parquet(path)
    ensure_empty(home, "feedback")
    assert read(path).schema == schema("feedback")

    more = schema("feedback").to_frame().with_columns(pl.lit(None, pl.String).alias("of_a_newer_version"))
    more.write_parquet(path)
    ensure_empty(home, "feedback")
    assert "of_a_newer_version" in read(path).schema
    assert segments(home, "feedback", 1) == []
