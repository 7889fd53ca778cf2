"""A replay keeps positions and times, reads with today's code, and takes a part where a part is asked for."""

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from flywheel.sample import feed
from ingest.home import Home
from ingest.lake.segments import read, read_footer, segments, write
from ingest.log import open_log
from ingest.replay import Selection, begin, from_lake, from_log
from ingest.sink import Sink
from models.errors import TerminalError
from models.topics import TOPICS


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home.open(tmp_path_factory.mktemp("fed") / "home")
    with open_log(None, home.path) as log:
        feed(log)
        Sink(log, home).drain()
    return home


def lake(home: Home) -> pl.DataFrame:
    """All rows, by position, with the columns that every topic has."""
    common = ["topic", "log_partition", "log_offset", "received_at", "type", "content_hash", "error", "raw"]
    frames = [
        read(segment, common)
        for topic in TOPICS
        for folder in (home.lake / topic).glob("[0-9]*")
        for segment in segments(home, topic, int(folder.name))
    ]
    return pl.concat(frames).sort("topic", "log_partition", "log_offset")


@pytest.mark.parametrize("origin", ["log", "lake"])
def test_the_whole_is_the_same_row_by_row(home: Home, tmp_path: Path, origin: str):
    into = Home.open(tmp_path / "new")
    with open_log(None, home.path) as log:
        begin(into, log, f"embedded:{home.path}")
        done = list(from_log(log, into) if origin == "log" else from_lake(home, into, Selection()))
        assert lake(into).equals(lake(home))
        assert sum(topic.landed for topic in done) == lake(home).height
        assert sum(topic.errors for topic in done) == lake(home)["error"].count() > 0
        landed_by_a_sink_after_it = Sink(log, into).drain()
    assert landed_by_a_sink_after_it.rows == 0


def test_a_part_by_topic_type_and_time(home: Home, tmp_path: Path):
    every = lake(home).filter(pl.col("topic") == "feedback")
    middle = every["received_at"].sort()[every.height // 2]
    wanted = Selection(frozenset({"feedback"}), middle, middle + timedelta(hours=1), ("feedback.c*", "feedback.th*"))
    into = Home.open(tmp_path / "new")
    (_, done) = from_lake(home, into, wanted)
    expected = every.filter(
        pl.col("received_at").is_between(middle, middle + timedelta(hours=1), closed="left"),
        pl.col("type").is_in(["feedback.comment_left.v1", "feedback.thumb_given.v2"]),
    )
    assert (done.seen, done.landed) == (every.height, expected.height)
    assert lake(into).equals(expected)


def test_an_erased_row_of_an_older_segment_is_kept_as_it_is(home: Home, tmp_path: Path):
    old, into = Home.open(tmp_path / "old"), Home.open(tmp_path / "new")
    (first, *_) = segments(home, "feedback", 0)
    footer, frame = read_footer(first), read(first)
    erased = pl.when(pl.col("log_offset") == frame["log_offset"][0]).then(pl.lit("request"))
    blank = pl.when(erased.is_null()).then(pl.col("raw"))
    frame = frame.with_columns(blank.alias("raw"), erased.alias("erased")).drop("rule", "rule_version", "steps")
    assert write(old, 0, frame, footer)
    (_, done) = from_lake(old, into, Selection(frozenset({"feedback"})))
    assert done.landed == frame.height
    landed = read(segments(into, "feedback", 0)[0])
    assert landed["log_offset"].equals(frame["log_offset"])
    assert landed["erased"][0] == "request"
    assert landed["raw"].null_count() == 1


def test_what_is_no_new_home_and_no_topic_is_refused(home: Home, tmp_path: Path):
    with open_log(None, home.path) as log, pytest.raises(TerminalError, match="is in use already"):
        begin(home, log, "embedded")
    with pytest.raises(TerminalError, match="'thumbs' is no topic; there are: responses"):
        list(from_lake(home, Home.open(tmp_path), Selection(frozenset({"thumbs"}))))
