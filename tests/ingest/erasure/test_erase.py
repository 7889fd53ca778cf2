"""A person is erased from a loop in which their words are everywhere: not a byte of them is left, and others' are."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.erasure.requests import landed_requests
from ingest.erasure.sweep import sweep
from ingest.home import Home
from ingest.importers.known import KnownEvents
from ingest.jobs.board import Board
from ingest.log import Entry, EventLog, open_log, publish, replay
from ingest.reader import query
from ingest.sink import Sink
from models.errors import TerminalError
from models.events import HEADERS, dump, parse
from models.events.privacy import ErasureRequested
from models.events.result import EvalSampleScored
from models.events.taxonomy import ModeProposed
from tests.ingest.erasure.grepping import holding
from tests.ingest.erasure.planted import (
    OTHERS,
    TAKEN,
    TRAINED,
    VICTIM,
    WORDS,
    by_the_victim,
    never_planted,
    plant,
)
from transforms.build import build

BY_ARRIVAL = {"received_at", "updated_at", "log_partition", "log_offset"}
"""Columns that say when and where a record came, which another home can't repeat."""


class Erased(NamedTuple):
    home: Home
    log: EventLog
    before: list[str]
    """Files that held the words."""
    said: str
    """What the command printed."""
    certificate: dict[str, Any]
    file: Path


def erase(home: Home, *options: str) -> str:
    done = CliRunner().invoke(cli, ["erase", *options, "--home", str(home.path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def erased(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Erased]:
    home = Home.open(tmp_path_factory.mktemp("erased") / "home")
    with open_log(None, home.path) as log:
        plant(home, log)
        build(home)
        before = holding(home.path, WORDS[:1])
        said = erase(home, "--subject", VICTIM, "--reason", "asked by mail")
        (request,) = landed_requests(home)
        file = home.erasures / f"{request.request_id}.json"
        yield Erased(home, log, before, said, json.loads(file.read_text()), file)


def test_not_a_byte_of_it_is_left_anywhere_in_the_home(erased: Erased):
    folders = {line.split("/")[0] for line in erased.before}
    assert {"lake", "log", "sets", "artifacts", "builds"} <= folders
    assert holding(erased.home.path, WORDS) == []


def test_case_24_it_is_a_tracked_job_with_counts_and_reads_show_nothing_of_it(erased: Erased):
    ((status, events, files, certificate),) = query(
        erased.home, "select status, events, files, certificate from fct_erasures where person_id = ?", [VICTIM]
    ).rows
    assert (status, events) == ("completed", sum(TAKEN.values()))
    assert files == len(erased.certificate["files"])
    assert certificate == hashlib.sha256(erased.file.read_bytes()).hexdigest()
    for topic, count in TAKEN.items():
        rows = query(
            erased.home, f"select count(*), count(raw), count(canonical) from raw.{topic} where erased is not null"
        )
        assert rows.rows == [(count, 0, 0)], topic
    assert query(erased.home, "select count(*) from fct_feedback where author_id = ?", [VICTIM]).rows == [(0,)]


def test_case_26_the_certificate_follows_it_through_everything_that_was_made_of_it(erased: Erased):
    said = erased.certificate
    assert said["events"] == TAKEN
    board = Board(erased.log)
    board.refresh()
    (retired,) = [spec_id for spec_id, issued in board.specs.items() if issued.spec_key == TRAINED]
    assert said["specs_retired"] == [retired]
    assert board.retired.keys() == {retired}
    assert said["checkpoints_trained_on_it"] == ["judge-1", "judge-2"]
    places = {touched["file"].split("/")[0] for touched in said["files"]}
    assert places == {"lake", "sets", "artifacts", "embeddings", "builds"}
    for touched in said["files"]:
        file = erased.home.path / touched["file"]
        now = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else None
        assert touched["before"] != touched["after"]
        assert touched["file"].startswith("embeddings") or now == touched["after"], touched
    assert VICTIM not in erased.file.read_text()
    subject = f"flywheel/erase|{said['request']['id']}\n{VICTIM}"
    assert said["request"]["subject_sha256"] == hashlib.sha256(subject.encode()).hexdigest()
    assert "certificate" in erased.said and "judge-1, judge-2" in erased.said


def test_the_embedded_log_and_the_dead_letters_keep_their_places_and_nothing_else(erased: Erased):
    tombs = [
        record
        for topic in erased.log.topics()
        for record in replay(erased.log, topic)
        if any(name == "flywheel.erased" for name, _ in record.headers)
    ]
    letters = {f"{topic}.dlt" for topic in ("feedback", "responses")}
    assert {record.topic for record in tombs} == {*TAKEN, *letters}
    assert len(tombs) == sum(TAKEN.values()) + 2
    assert all(record.value == b"" for record in tombs if record.topic in letters)
    said = [json.loads(record.value) for record in tombs if record.topic == "experiments"]
    assert [(event["source"], event["id"], event["data"]) for event in said] == [("app", "exposed", None)]


def test_a_mode_rests_on_its_other_members_and_one_of_theirs_alone_is_gone(erased: Erased):
    modes = [
        event
        for record in replay(erased.log, "taxonomy")
        if record.value and isinstance(event := _parsed(record.value), ModeProposed)
    ]
    (left,) = modes
    assert (left.mode_id, left.name, left.terms) == ("mode-shared", "limit / ignored", ("limit", "ignored"))
    assert left.member_keys == ("app|comment-1", "app|comment-2")
    assert left.medoid_key in left.member_keys
    assert sum(value * value for value in left.centroid) == pytest.approx(1.0, abs=1e-4)
    assert query(erased.home, "select name from int_modes where origin = 'discovered'").rows == [("limit / ignored",)]


def _parsed(value: bytes) -> object:
    return parse(value) if json.loads(value).get("data") else None


def test_others_have_what_they_would_have_had_without_the_person(erased: Erased, tmp_path: Path):
    home = Home.open(tmp_path / "home")
    home.embeddings.symlink_to(erased.home.embeddings)
    with open_log(None, home.path) as log:
        never_planted(home, log)
    build(home)
    for mart in ("fct_feedback", "fct_responses"):
        assert _rows(erased.home, mart) == _rows(home, mart), mart
    assert len(_rows(home, "fct_responses")) == OTHERS
    assert _rows(home, "fct_erasures") == []


def _rows(home: Home, mart: str) -> list[str]:
    found = query(home, f"from {mart}")
    kept = [place for place, name in enumerate(found.columns) if name not in BY_ARRIVAL]
    return sorted(str([row[place] for place in kept]) for row in found.rows)


def test_another_run_adds_nothing(erased: Erased):
    ends = {topic: erased.log.end_offsets(topic) for topic in erased.log.topics()}
    files = {file: file.stat().st_mtime_ns for file in erased.home.lake.rglob("*.parquet")}
    assert "nothing of victim-17 is left" in erase(erased.home, "--subject", VICTIM)
    assert "no request waits" in erase(erased.home, "--pending")
    assert {topic: erased.log.end_offsets(topic) for topic in erased.log.topics()} == ends
    assert {file: file.stat().st_mtime_ns for file in erased.home.lake.rglob("*.parquet")} == files


def test_what_comes_again_and_who_asked_over_the_api_is_gone_with_the_next_build(erased: Erased):
    home, log = erased.home, erased.log
    known = KnownEvents(home, log, ("feedback", "responses"), "app").find({("app", "said")})
    assert [copy.is_erased for copy in known["app", "said"]] == [True]
    publish(log, by_the_victim())  # a client that sends it all again
    publish(log, [ErasureRequested(id="r", source="collector", person_id="other-3", requested_by="key-1")])
    Sink(log, home).drain()
    build(home)

    assert holding(home.lake, WORDS) == holding(home.warehouse.resolve().parent, WORDS) == []
    sent_again = sum(event.topic == "feedback" for event in by_the_victim())
    of_victim = "erased like 'flywheel/erase|%'"
    assert query(home, f"select count(*) from raw.feedback where {of_victim}").rows == [
        (TAKEN["feedback"] + sent_again,)
    ]

    sql = "select status, events > 0 from fct_erasures where person_id = 'other-3'"
    assert query(home, sql).rows == [("pending", True)]
    for table in ("fct_feedback", "raw.feedback"):
        assert query(home, f"select count(*) from {table} where author_id = 'other-3'").rows == [(0,)]


def test_what_comes_again_after_it_was_erased_goes_from_the_log_as_well(tmp_path: Path):
    home = Home.open(tmp_path / "home")
    mine = by_the_victim()
    late = EvalSampleScored(
        id="late", source="t", spec_id="s", checkpoint_id="c", job_id="j", epoch=1, sample_id="app|said", scorer="x",
        explanation=f"about {WORDS[0]}",
    )  # fmt: skip
    with open_log(None, home.path) as log:
        lanes = [Entry(f"{event.topic}.backfill", event.key, dump(event), HEADERS) for event in mine[:3]]
        publish(log, mine)
        Sink(log, home).drain()
        erase(home, "--subject", VICTIM)
        assert holding(home.path, WORDS) == []

        assert "records" not in erase(home, "--pending")
        for by_sweep, again in enumerate(("--pending", "--subject")):
            publish(log, [*mine, late])  # a client's spool
            log.append([*lanes, Entry("feedback", "k", f"no event {by_sweep}".encode())])  # what comes fresh stays
            if by_sweep:
                Sink(log, home).drain()
                sweep(home)  # as a build begins
                assert {line.split("/")[0] for line in holding(home.path, WORDS)} == {"log"}
            said = erase(home, again, *([VICTIM] if again == "--subject" else []))
            assert f"{len(mine) + 1 + len(lanes)} records that came again" in said
            assert holding(home.path, WORDS) == []
            letters = [record.value for record in replay(log, "feedback.dlt")]
            assert letters[by_sweep:] == [f"no event {by_sweep}".encode()]
        assert erase(home, "--pending") == "no request waits\n"


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
@pytest.mark.parametrize("subject", ["", "\udcff\udcfe", "x" * 513])
def test_what_can_be_no_persons_id_is_refused_in_a_line(tmp_path: Path, subject: str, options: tuple[str, ...]):
    home = Home.open(tmp_path / "home")
    with open_log(None, home.path) as log:
        publish(log, by_the_victim()[:1])
    words = ["erase", "--home", str(home.path), "--subject", subject, *options]
    with pytest.raises(TerminalError, match=r"person_id .* can't be asked for: ") as refused:
        CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "\n" not in str(refused.value)
    with open_log(None, home.path) as log:
        assert not list(replay(log, "privacy"))


def test_dead_letters_of_a_lane_are_found_by_the_place_in_the_lake(tmp_path: Path):
    home = Home.open(tmp_path / "home")
    with open_log(None, home.path) as log:
        log.append([Entry("feedback.backfill", VICTIM, f'{{"user": "{VICTIM}", "text": "{WORDS[0]}'.encode())])
        log.append([Entry("feedback", "k", b"no event of theirs")])
        Sink(log, home).drain()
        assert {line.split("/")[0] for line in holding(home.path, [WORDS[0]])} == {"lake", "log"}
        erase(home, "--subject", VICTIM)
        assert holding(home.path, WORDS) == []
        letters = [(record.key, record.value) for record in replay(log, "feedback.dlt")]
        ((key, _),) = [letter for letter in letters if letter[1]]
        assert key is not None and int(key.split(b"/")[1]) < 1_000, "the other's stays"
        assert len(letters) == 2
        (tomb,) = replay(log, "feedback.backfill")
        assert any(name == "flywheel.erased" for name, _ in tomb.headers)
