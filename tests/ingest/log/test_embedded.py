"""The embedded log: the contract, and what only a file can suffer."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.log import Entry, open_log, replay
from ingest.log.embedded import EmbeddedLog
from ingest.log.embedded_schema import VERSION, fault
from models.errors import TerminalError, TransientError
from tests.ingest.log_contract import ROOT, LogAddress, LogContract, values


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log" / "log.sqlite"


def sql(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


class TestEmbedded(LogContract):
    @pytest.fixture
    def address(self, tmp_path: Path) -> Generator[LogAddress]:
        address = LogAddress(None, tmp_path)
        with address.opened:
            yield address

    def leave_gap(self, address: LogAddress, topic: str, key: str) -> None:
        with open_log(address.url, address.home) as log:
            log.append([Entry(topic, key, b"erased")] * 4)
        sql(address.home / "log" / "log.sqlite", "delete from records where value = cast('erased' as blob)")


def test_several_processes_may_make_the_log(tmp_path: Path) -> None:
    address = LogAddress("embedded", tmp_path)
    with address.opened:
        writers = [address.start_writer("jobs", f"w{n}", 5, 5) for n in range(6)]
        for writer in writers:
            writer.communicate("go\n")
            assert writer.returncode == 0
        assert len(list(replay(address.open(), "jobs"))) == 30


def test_a_clock_that_was_set_back_does_not_show(tmp_path: Path, file: Path) -> None:
    with open_log(None, tmp_path) as log:
        log.append([Entry("jobs", "k", b"v")])
        sql(file, "update partitions set last_append_us = last_append_us + 3600000000")
        log.append([Entry("jobs", "k", b"w")])
        _, later = (record.appended_at for record in replay(log, "jobs"))
    assert later > datetime.now(UTC) + timedelta(minutes=50)


def test_the_first_offsets_may_be_gone(tmp_path: Path, file: Path) -> None:
    with open_log(None, tmp_path) as log:
        log.append([Entry("jobs", "k", b"v")] * 5)
        sql(file, 'delete from records where "offset" < 3')
        assert log.begin_offsets("jobs") == {0: 3}
        assert [record.offset for record in log.read("jobs", 0, 0).records] == [3, 4]
        sql(file, "delete from records")
        assert (log.begin_offsets("jobs"), log.end_offsets("jobs")) == ({0: 5}, {0: 5})
        assert log.append([Entry("jobs", "k", b"v")])[0].offset == 5


def test_a_batch_is_bounded_in_bytes(tmp_path: Path) -> None:
    with open_log(None, tmp_path) as log:
        log.append([Entry("jobs", "k", bytes(900_000))] * 50)
        first = log.read("jobs", 0, 0)
        assert 0 < len(first.records) < 50
        assert len(list(replay(log, "jobs"))) == 50


def test_a_log_of_a_newer_version_is_refused(tmp_path: Path, file: Path) -> None:
    open_log(None, tmp_path).close()
    sql(file, f"pragma user_version = {VERSION + 1}")
    with pytest.raises(TerminalError, match=f"version {VERSION + 1}.*Use a newer Flywheel"):
        open_log(None, tmp_path)


def test_a_directory_in_its_place_is_refused(tmp_path: Path, file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(TerminalError, match="is a directory"):
        open_log(None, tmp_path)


def test_a_file_in_the_place_of_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("x")
    with pytest.raises(TerminalError, match="can't be made"):
        open_log(None, tmp_path)


def test_another_database_is_refused(tmp_path: Path, file: Path) -> None:
    file.parent.mkdir()
    sql(file, "create table somebodys (x)")
    with pytest.raises(TerminalError, match="not an event log"):
        open_log(None, tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("no database at all, and long enough to tell" * 50)
    with pytest.raises(TerminalError, match="damaged or no event log"):
        open_log(None, tmp_path)


def test_a_rival_that_keeps_the_lock_stops_writers_only(tmp_path: Path, file: Path) -> None:
    with EmbeddedLog(file, lock_timeout=0.05) as log, closing(sqlite3.connect(file, isolation_level=None)) as rival:
        log.append([Entry("jobs", "k", b"v")])
        rival.execute("begin immediate")
        with pytest.raises(TransientError, match="held by another program"):
            log.append([Entry("jobs", "k", b"w")])
        assert values(log, "jobs") == [b"v"]
        rival.execute("rollback")
        log.append([Entry("jobs", "k", b"w")])
        assert values(log, "jobs") == [b"v", b"w"]


def test_a_file_that_can_not_grow_takes_nothing_and_recovers(tmp_path: Path, file: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_log(None, tmp_path) as log:
        log.append([Entry("jobs", "k", b"v")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
        try:
            with pytest.raises(TransientError, match=r"log.sqlite .*Nothing was written.*make room"):
                log.append([Entry("jobs", "k", bytes(500_000))] * 5)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert values(log, "jobs") == [b"v"]
        assert log.append([Entry("jobs", "k", b"w")])[0].offset == 1


def test_a_full_disk_is_named(tmp_path: Path, file: Path) -> None:
    open_log(None, tmp_path).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("insert into topics (topic, id) values ('t', zeroblob(1000000))")
    said = fault(file, caught.value)
    assert isinstance(said, TransientError)
    assert str(said) == f"The disk that holds {file} is full. Nothing was written; make room and try again."


def test_a_read_only_log_is_named(tmp_path: Path, file: Path) -> None:
    open_log(None, tmp_path).close()
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    with closing(connection), pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("insert into topics (topic, id) values ('t', 'i')")
    said = fault(file, caught.value)
    assert isinstance(said, TerminalError)
    assert "is read-only. Make it and its folder writable" in str(said)


def test_a_child_after_a_fork_is_told_to_open_its_own(tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from ingest.log import open_log
log = open_log(None, Path(sys.argv[1]))
if os.fork() == 0:
    try:
        log.topics()
    except Exception as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "open it again in the child" in ran.stdout
