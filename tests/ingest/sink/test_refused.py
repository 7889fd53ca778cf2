"""Dead letters put right: read again where they stand, or corrected, each event counts once."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.home import Home
from ingest.lake.compaction import CompactionPolicy, compact
from ingest.log import Entry, EventLog, replay
from ingest.reader import query
from ingest.sink import Sink
from ingest.sink import land as landing
from ingest.sink.refused import Place, correct, read_again, refused
from models.errors import BadEvent, TerminalError
from models.events import AnyEvent, Headers, dump, parse
from models.events.comment import CommentLeft
from models.feedback import Author, Target
from transforms.build import build

COMMENT = CommentLeft(
    id="c1", source="app", target=Target(kind="trace", id="t"), author=Author(kind="human", id="u"), text="broken again"
)
BROKEN = dump(COMMENT).replace(b'"specversion":"1.0"', b'"specversion":"0.3"')
NOT_JSON = b"{nor this"


@pytest.fixture
def landed(home: Home, log: EventLog) -> Home:
    good = COMMENT.model_copy(update={"id": "c0"})
    log.append([Entry("feedback", "t", value) for value in (dump(good), BROKEN, NOT_JSON)])
    Sink(log, home).drain()
    return home


def fixed(value: bytes, headers: Headers = ()) -> AnyEvent:
    """The door once it has been mended: it takes the older version too."""
    return parse(value.replace(b'"0.3"', b'"1.0"'), headers)


def places(home: Home, reason: str = "") -> list[str]:
    return [str(one.place) for one in refused(home, reason=reason)]


def test_they_are_listed_and_shown_whole(landed: Home):
    run = CliRunner().invoke(cli, ["--home", str(landed.path), "dead-letters", "list", "--json"])
    listed = [json.loads(line) for line in run.output.splitlines()]
    assert [one["reason"].split(":")[0] for one in listed] == ["not a CloudEvent 1.0", "not JSON"]
    shown = CliRunner().invoke(cli, ["--home", str(landed.path), "dead-letters", "show", "--raw", listed[0]["place"]])
    assert shown.output.encode() == BROKEN
    assert places(landed, reason="NOT json") == [listed[1]["place"]]
    missing = CliRunner().invoke(cli, ["--home", str(landed.path), "dead-letters", "show", "feedback/0/999"])
    assert isinstance(missing.exception, TerminalError)
    assert "nothing at feedback/0/999" in str(missing.exception)


def test_after_a_fix_an_event_takes_its_place_once(
    landed: Home, log: EventLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    build(landed)
    before = query(landed, "select event_id from fct_feedback").rows
    assert read_again(landed)[:2] == (2, 0)
    (place, *_) = places(landed)
    arrived = next(refused(landed)).received_at

    monkeypatch.setattr(landing, "parse", fixed)
    assert read_again(landed) == (2, 1, 1)
    assert read_again(landed)[:2] == (1, 0)
    assert places(landed) != []
    build(landed)
    sql = "select event_id, received_at, log_partition || '/' || log_offset from fct_feedback where event_id = 'c1'"
    (row,) = query(landed, sql).rows
    assert row == ("c1", arrived, place.removeprefix("feedback/"))
    assert len(query(landed, "select * from fct_feedback").rows) == len(before) + 1
    assert len(query(landed, "select * from stg_quarantine").rows) == 1


def test_a_corrected_event_counts_once_however_often_it_is_sent(landed: Home, log: EventLog):
    one = next(refused(landed, reason="CloudEvent"))
    with pytest.raises(BadEvent, match="not JSON"):
        correct(log, landed, one, NOT_JSON)
    for _ in range(2):
        correct(log, landed, one, dump(COMMENT))
    sent = [
        record for record in replay(log, "feedback") if ("flywheel.corrects", str(one.place).encode()) in record.headers
    ]
    assert [parse(record.value, record.headers) for record in sent] == [COMMENT, COMMENT]
    Sink(log, landed).drain()
    assert [each.reason.split(":")[0] for each in refused(landed)] == ["not JSON"]
    assert read_again(landed).read == 1
    with pytest.raises(TerminalError, match=r"app\|c1 was put in place of feedback/\d/\d before"):
        correct(log, landed, one, dump(COMMENT.model_copy(update={"id": "c2"})))
    build(landed)
    assert query(landed, "select count(*) from fct_feedback where event_id = 'c1'").rows == [(1,)]
    assert query(landed, "select corrected_by from stg_quarantine order by log_offset").rows == [("app|c1",), (None,)]


def test_what_another_event_was_put_in_place_of_counts_no_more_where_it_could_be_read(
    landed: Home, log: EventLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """As in a home that a replay makes with mended code, before the correction comes and after."""
    other = Home.open(tmp_path / "other")
    with monkeypatch.context() as mended:
        mended.setattr(landing, "parse", fixed)
        Sink(log, other).drain()
    counted = "select event_id from fct_feedback order by event_id"
    build(other)
    assert query(other, counted).rows == [("c0",), ("c1",)]

    correct(log, landed, next(refused(landed, reason="CloudEvent")), dump(COMMENT.model_copy(update={"id": "c9"})))
    Sink(log, other).drain()
    for full_refresh in (False, True):
        build(other, full_refresh=full_refresh)
        assert query(other, counted).rows == [("c0",), ("c9",)]
        said = query(other, "select event_id, corrected_by from stg_quarantine order by log_offset").rows
        assert said == [("c1", "app|c9"), (None, None)]


def test_merged_segments_hold_each_once(home: Home, log: EventLog, monkeypatch: pytest.MonkeyPatch):
    for number in range(6):
        log.append([Entry("feedback", "t", BROKEN), Entry("feedback", "t", f"no event {number}".encode())])
        Sink(log, home).drain()
    compact(home, CompactionPolicy(segments=2))
    assert len(list(refused(home))) == 12
    monkeypatch.setattr(landing, "parse", fixed)
    assert read_again(home)[:2] == (12, 6)
    assert len(list(refused(home))) == 6


@pytest.mark.parametrize("text", ["feedback", "feedback/0", "thumbs/0/1", "feedback/a/1", "feedback/0/-1"])
def test_what_is_no_place_is_said(text: str):
    with pytest.raises(TerminalError, match="is no place: TOPIC/PARTITION/OFFSET"):
        Place.of(text)
