"""What every log promises. The test file of each adapter inherits `LogContract` and says where its log is."""

import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import IO

import pytest

from ingest.log import MAX_ENTRY_BYTES, Batch, Entry, EventLog, Record, open_log, partition_of, publish, replay
from ingest.log.base import Columns
from models.errors import TerminalError
from models.events import parse
from models.events.response import ResponseServed
from tests.ingest.log_writer import written

ROOT = Path(__file__).parents[2]
KEYS = ("a", "b", "run-7", "Ω", "\x00", "👩‍🚀", "", "conversation/12")
SLACK = timedelta(seconds=2)  # between our clock's reading and the log's


class LogAddress:
    """Where a test's log is. Each `open` gives a new client of the same log."""

    def __init__(self, url: str | None, home: Path) -> None:
        self.url, self.home = url, home
        self.opened = ExitStack()

    def open(self) -> EventLog:
        return self.opened.enter_context(open_log(self.url, self.home))

    def start_writer(self, topic: str, name: str, entries: int, size: int) -> "subprocess.Popen[str]":
        """Another process that is ready to append `entries` entries with the key `name`, `size` at a time."""
        arguments = [self.url or "embedded", str(self.home), topic, name, str(entries), str(size)]
        writer = subprocess.Popen(
            [sys.executable, "-m", "tests.ingest.log_writer", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.opened.callback(_end, writer)
        return writer


def values(log: EventLog, topic: str) -> list[bytes]:
    return [record.value for record in replay(log, topic)]


class LogContract:
    """The promises of `EventLog`."""

    @pytest.fixture
    def address(self) -> Generator[LogAddress]:
        raise NotImplementedError

    def leave_gap(self, address: LogAddress, topic: str, key: str) -> None:
        """Use up offsets of the partition that `key` has in `topic`, without a record that can be read."""
        raise NotImplementedError

    @pytest.fixture
    def log(self, address: LogAddress) -> EventLog:
        return address.open()

    def test_a_topic_that_is_not_there_is_empty(self, log: EventLog) -> None:
        assert log.end_offsets("feedback") == {}
        assert log.begin_offsets("feedback") == {}
        assert log.read("feedback", 0, 0) == Batch((), 0)
        assert log.read("feedback", 0, 0, wait=0.05) == Batch((), 0)
        assert log.topics() == []
        assert values(log, "feedback") == []
        with pytest.raises(TerminalError, match="feedback"):
            log.topic_id("feedback")

    def test_nothing_appended_makes_no_topic(self, log: EventLog) -> None:
        assert log.append([]) == []
        assert log.topics() == []

    def test_topics_have_the_partitions_of_the_contract(self, log: EventLog) -> None:
        log.append([Entry(topic, "k", b"v") for topic in ("jobs", "feedback", "feedback.dlt", "of-another-make")])
        assert log.topics() == ["feedback", "feedback.dlt", "jobs", "of-another-make"]
        assert sorted(log.end_offsets("feedback")) == [0, 1, 2]
        assert all(sorted(log.end_offsets(topic)) == [0] for topic in ("jobs", "feedback.dlt", "of-another-make"))

    def test_a_partition_keeps_the_order_of_appending(self, log: EventLog) -> None:
        entries = [Entry("feedback", KEYS[n % len(KEYS)], str(n).encode()) for n in range(200)]
        positions = log.append(entries[:150]) + log.append(entries[150:])
        assert [position.topic for position in positions] == ["feedback"] * 200
        for partition, end in log.end_offsets("feedback").items():
            sent = [n for n, position in enumerate(positions) if position.partition == partition]
            batch = log.read("feedback", partition, 0)
            assert [int(record.value) for record in batch.records] == sent
            assert [record.offset for record in batch.records] == [positions[n].offset for n in sent]
            assert batch.next_offset == end

    def test_a_key_has_the_partition_that_every_log_gives_it(self, log: EventLog) -> None:
        positions = log.append([Entry("feedback", key, b"v") for key in KEYS])
        assert [position.partition for position in positions] == [partition_of(key.encode(), 3) for key in KEYS]

    def test_bytes_come_back_as_they_were(self, log: EventLog) -> None:
        odd = [b"", b"\x00\x01\xff", "👩‍🚀 é \u2028".encode(), b'{"a": 1}\n']
        log.append([Entry("jobs", key, value) for key, value in zip(KEYS, odd, strict=False)])
        records = list(replay(log, "jobs"))
        assert [record.value for record in records] == odd
        assert [record.key for record in records] == [key.encode() for key in KEYS[: len(odd)]]

    def test_headers_come_back_in_order(self, log: EventLog) -> None:
        headers = (("content-type", b"application/json"), ("ce_é", b"\x00\xff"), ("content-type", b""))
        log.append([Entry("jobs", "k", b"v", headers), Entry("jobs", "k", b"w")])
        assert [record.headers for record in replay(log, "jobs")] == [headers, ()]

    def test_a_large_value_fits(self, log: EventLog) -> None:
        large = bytes(range(256)) * 3_516  # 900 kB
        log.append([Entry("jobs", "k", large), Entry("jobs", "k", b"next")])
        assert values(log, "jobs") == [large, b"next"]

    def test_too_large_a_value_is_refused_with_all_that_came_along(self, log: EventLog) -> None:
        with pytest.raises(TerminalError, match=r"'big'.*1,000,000"):
            log.append([Entry("jobs", "k", b"v"), Entry("jobs", "big", bytes(MAX_ENTRY_BYTES + 1))])
        assert values(log, "jobs") == []

    def test_names_and_keys_that_no_log_can_hold_are_refused(self, log: EventLog) -> None:
        with pytest.raises(TerminalError, match="'a b' is not a topic name"):
            log.append([Entry("a b", "k", b"v")])
        with pytest.raises(TerminalError, match="not valid Unicode"):
            log.append([Entry("jobs", "\ud800", b"v")])

    @pytest.mark.parametrize("zone", ["UTC", "Asia/Seoul"])
    def test_append_times_are_utc_and_do_not_decrease(
        self, log: EventLog, zone: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            before = datetime.now(UTC)
            for n in range(5):
                log.append([Entry("jobs", "k", str(n).encode())] * 3)
            after = datetime.now(UTC)
            times = [record.appended_at for record in replay(log, "jobs")]
        finally:
            monkeypatch.undo()
            time.tzset()
        assert len(times) == 15
        assert times == sorted(times)
        assert all(moment.tzinfo is UTC for moment in times)
        assert before - SLACK <= times[0] <= times[-1] <= after + SLACK

    def test_offsets_may_have_gaps(self, log: EventLog, address: LogAddress) -> None:
        first = log.append([Entry("jobs", "k", b"before")] * 3)
        self.leave_gap(address, "jobs", "k")
        last = log.append([Entry("jobs", "k", b"after")] * 3)
        records = list(replay(log, "jobs"))
        assert [record.value for record in records] == [b"before"] * 3 + [b"after"] * 3
        assert [record.offset for record in records] == [position.offset for position in first + last]
        assert any(after.offset - before.offset > 1 for before, after in pairwise(records))
        inside = log.read("jobs", 0, records[2].offset + 1)
        assert [record.value for record in inside.records] == [b"after"] * 3

    def test_a_gap_at_the_end_is_passed_over(self, log: EventLog, address: LogAddress) -> None:
        log.append([Entry("jobs", "k", b"before")] * 3)
        self.leave_gap(address, "jobs", "k")
        end = log.end_offsets("jobs")[0]
        batch = log.read("jobs", 0, 0)
        while batch.next_offset < end:
            assert batch.records == () or batch.next_offset == batch.records[-1].offset + 1
            batch = log.read("jobs", 0, batch.next_offset)
        assert batch.next_offset == end
        assert log.read("jobs", 0, end) == Batch((), end)
        assert values(log, "jobs") == [b"before"] * 3

    def test_a_position_beyond_the_end_is_refused(self, log: EventLog) -> None:
        log.append([Entry("jobs", "k", b"v")])
        with pytest.raises(TerminalError, match=r"jobs, partition 0 .*no offset 7.*1"):
            log.read("jobs", 0, 7)
        with pytest.raises(TerminalError, match=r"no offset -1"):
            log.read("jobs", 0, -1)
        with pytest.raises(TerminalError, match=r"no offset 3"):
            log.read("feedback", 0, 3)

    def test_several_readers_see_the_same(self, log: EventLog, address: LogAddress) -> None:
        log.append([Entry("feedback", KEYS[n % len(KEYS)], str(n).encode()) for n in range(300)])
        logs = [log, log, address.open(), address.open()]
        seen: dict[int, list[Record]] = {}

        def look(number: int, mine: EventLog) -> None:
            seen[number] = list(replay(mine, "feedback"))

        readers = [threading.Thread(target=look, args=pair) for pair in enumerate(logs)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        assert [len(seen[number]) for number in range(4)] == [300] * 4
        assert all(seen[number] == seen[0] for number in range(4))

    def test_a_reader_starts_again_from_where_it_was(self, log: EventLog, address: LogAddress) -> None:
        log.append([Entry("jobs", "k", str(n).encode()) for n in range(50)])
        seen: list[bytes] = []
        position = 0
        for size in (7, 1, 20, 100):
            with open_log(address.url, address.home) as again:
                batch = again.read("jobs", 0, position, max_records=size)
            assert len(batch.records) <= size
            seen += [record.value for record in batch.records]
            position = batch.next_offset
        assert seen == [str(n).encode() for n in range(50)]

    def test_a_reader_can_go_back_and_switch(self, log: EventLog) -> None:
        log.append([Entry(topic, "k", f"{topic} {n}".encode()) for topic in ("jobs", "specs") for n in range(20)])
        for topic, offset in (("jobs", 10), ("jobs", 0), ("specs", 19), ("jobs", 3), ("jobs", 5), ("specs", 0)):
            batch = log.read(topic, 0, offset, max_records=2)
            expected = [f"{topic} {n}".encode() for n in range(offset, min(offset + 2, 20))]
            assert [record.value for record in batch.records] == expected

    def test_a_waiting_reader_gets_what_comes(self, log: EventLog, address: LogAddress) -> None:
        log.append([Entry("jobs", "k", b"first")])
        got: list[Batch] = []
        readers = [
            threading.Thread(target=lambda: got.append(log.read("jobs", 0, 1, wait=60))),
            threading.Thread(target=lambda: got.append(log.read("specs", 0, 0, wait=60))),  # not there yet
        ]
        for reader in readers:
            reader.start()
        address.open().append([Entry("jobs", "k", b"second"), Entry("specs", "k", b"third")])
        for reader in readers:
            reader.join()
        assert sorted(record.value for batch in got for record in batch.records) == [b"second", b"third"]

    def test_columns_say_what_records_say(self, log: EventLog, address: LogAddress) -> None:
        headers = (("a", b"1"), ("a", b""))
        log.append([Entry("jobs", KEYS[n % 3], str(n).encode(), headers[: n % 3]) for n in range(20)])
        self.leave_gap(address, "jobs", KEYS[0])
        end = log.end_offsets("jobs")[0]
        records: list[Record] = []
        position = 0
        while position < end:
            columns = log.read_columns("jobs", 0, position, max_records=7)
            batch = columns.batch("jobs", 0)
            assert len(batch.records) <= 7
            assert Columns.of(batch.records, columns.next_offset) == columns
            records += batch.records
            position = columns.next_offset
        assert records == list(replay(log, "jobs"))
        assert len(records) == 20
        assert log.read_columns("jobs", 0, end) == Columns([], [], [], [], [], end)
        with pytest.raises(TerminalError, match="no offset"):
            log.read_columns("jobs", 0, end + 1)

    def test_waiting_ends_when_nothing_comes(self, log: EventLog) -> None:
        log.append([Entry("jobs", "k", b"v")])
        assert log.read("jobs", 0, 1, wait=0.05) == Batch((), 1)

    def test_who_the_log_is_outlives_its_clients(self, log: EventLog, address: LogAddress) -> None:
        log.append([Entry("jobs", "k", b"v"), Entry("specs", "k", b"v")])
        again = address.open()
        assert log.identity() == again.identity() != ""
        assert log.topic_id("jobs") == again.topic_id("jobs") != log.topic_id("specs")

    def test_a_closed_log_says_so(self, address: LogAddress) -> None:
        log = address.open()
        log.close()
        log.close()
        with pytest.raises(Exception, match="is closed"):
            log.topics()

    def test_events_go_in_and_come_out(self, log: EventLog) -> None:
        events = [ResponseServed(id=f"r{n}", source="shop", response_id=f"r{n}") for n in range(7)]
        positions = publish(log, iter(events))
        assert [position.topic for position in positions] == ["responses"] * 7
        records = list(replay(log, "responses"))
        assert sorted((parse(record.value, record.headers) for record in records), key=lambda e: e.id) == events
        assert {record.key for record in records} == {event.key.encode() for event in events}

    def test_processes_write_at_once(self, log: EventLog, address: LogAddress) -> None:
        writers = {name: address.start_writer("feedback", name, 60, 4) for name in ("ada", "bob", "eve")}
        for writer in writers.values():
            assert _line(writer.stdout) == "ready"
        for writer in writers.values():
            writer.communicate("go\n")
            assert writer.returncode == 0
        records = list(replay(log, "feedback"))
        assert len({(record.partition, record.offset) for record in records}) == len(records) == 180
        for name in writers:
            mine = [record.value for record in records if record.key == name.encode()]
            assert mine == [written(name, number) for number in range(60)]

    def test_a_writer_that_is_killed_loses_and_doubles_nothing(self, log: EventLog, address: LogAddress) -> None:
        for name, lines in (("ada", 30), ("bob", 200), ("eve", 1)):
            writer = address.start_writer("jobs", name, 1_000_000, 10)
            assert _line(writer.stdout) == "ready"
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
            acknowledged = [int(_line(writer.stdout)) for _ in range(lines)]
            writer.kill()
            assert writer.stdout
            rest = writer.stdout.read()  # with what `readline` has read ahead, which `communicate` leaves out
            acknowledged += [int(line) for line in rest.split("\n")[:-1]]
            found = [record.value for record in replay(log, "jobs") if record.key == name.encode()]
            assert found == [written(name, number) for number in range(len(found))]
            # What the log took and could not answer any more is one append at most.
            assert len(acknowledged) <= len(found) <= len(acknowledged) + 2 * 10
        log.append([Entry("jobs", "next", b"still works")])
        assert values(log, "jobs")[-1] == b"still works"


def _line(stream: IO[str] | None) -> str:
    assert stream
    return stream.readline().rstrip("\n")


def _end(writer: "subprocess.Popen[str]") -> None:
    writer.kill()
    writer.communicate()
