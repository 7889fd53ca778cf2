import sqlite3
import threading
import time
from contextlib import closing

import pytest

from ingest.home import Home
from ingest.lake.segments import read_footer, segments, start_of
from ingest.log import Entry, EventLog, Position, open_log, publish, replay
from ingest.sink import FlushPolicy, Landed, Sink
from ingest.sink.lag import lag
from models.errors import TerminalError
from models.topics import TOPICS
from tests.ingest.sink.written import POISON, comment, dead_letters, entries, entry, lake, landed, wait_for

NEVER = FlushPolicy(seconds=1e9)


def test_every_record_lands_once_with_its_event(home: Home, log: EventLog) -> None:
    written = publish(log, [comment(number) for number in range(30)])

    assert Sink(log, home).drain() == Landed(rows=30, errors=0, segments=3)

    assert landed(home) == sorted(written)
    rows = lake(home).sort("event_id")
    assert set(rows["event_id"]) == {f"comment-{number}" for number in range(30)}
    assert set(rows["text"]) == {"too long"}
    assert rows["error"].is_null().all()


def test_nothing_new_lands_nothing(home: Home, log: EventLog) -> None:
    publish(log, [comment(1)])
    Sink(log, home).drain()

    assert Sink(log, home).drain() == Landed()
    assert lag(log, home) == {("feedback", partition): 0 for partition in range(3)}


def test_an_empty_log_is_no_fault(home: Home, log: EventLog) -> None:
    sink = Sink(log, home)

    assert sink.drain() == Landed()
    assert lag(log, home) == {}
    assert all((home.lake / topic / "schema" / "empty.parquet").exists() for topic in TOPICS)


def test_lag_counts_what_has_not_landed(home: Home, log: EventLog) -> None:
    sink = Sink(log, home, NEVER)
    publish(log, [comment(number) for number in range(10)])
    assert sum(lag(log, home).values()) == 10

    sink.step()  # held is not landed
    assert sum(lag(log, home).values()) == 10

    sink.drain()
    assert set(lag(log, home).values()) == {0}
    assert sink.landed == Landed(10, 0, 3)


def test_rows_and_bytes_end_a_segment(home: Home, log: EventLog) -> None:
    log.append([entry(1) for _ in range(10)])
    assert Sink(log, home, FlushPolicy(rows=4)).drain() == Landed(10, 0, 3)

    log.append([entry(1, "x" * 1_000) for _ in range(4)])
    sink = Sink(log, home, FlushPolicy(rows=1, bytes=1_500))
    assert sink.drain() == Landed(4, 0, 4)
    assert len(landed(home)) == 14


def test_offsets_with_gaps(home: Home, log: EventLog) -> None:
    written = log.append([entry(1) for _ in range(90)])
    edit(home, 'delete from records where "offset" % 10 = 3 or "offset" >= 85 or "offset" < 2')

    Sink(log, home, FlushPolicy(rows=7)).drain()
    kept = [at for at in written if at.offset % 10 != 3 and 2 <= at.offset < 85]
    assert landed(home) == kept
    assert set(lag(log, home).values()) == {0}, "a gap before the end is nothing to wait for"

    more = log.append([entry(1) for _ in range(5)])
    assert Sink(log, home).drain() == Landed(5, 0, 1)
    assert landed(home) == kept + more
    chain = segments(home, "feedback", written[0].partition)
    assert [start_of(segment) for segment in chain[1:]] == [read_footer(segment).next for segment in chain[:-1]]


def test_a_topic_that_comes_later_lands_too(home: Home, log: EventLog) -> None:
    sink = Sink(log, home, FlushPolicy(seconds=0.01))
    stop = threading.Event()
    counts: list[Landed] = []
    running = threading.Thread(target=lambda: counts.append(sink.run(stop)))
    running.start()
    publish(log, [comment(1)])
    wait_for(lambda: not any(lag(log, home).values()))
    stop.set()
    running.join(60)

    assert counts == [Landed(1, 0, 1)]
    assert len(landed(home)) == 1


def test_what_is_held_lands_when_the_sink_is_stopped(home: Home, log: EventLog) -> None:
    publish(log, [comment(1)])
    sink = Sink(log, home, NEVER)
    sink.step()
    stop = threading.Event()
    stop.set()

    assert sink.run(stop) == Landed(1, 0, 1)


def test_two_sinks_hold_the_same_and_the_second_to_land_drops_it(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(30)))
    slow = Sink(log, home, NEVER)
    slow.step()  # reads, and holds all
    fast = Sink(log, home, FlushPolicy(rows=4))
    assert fast.drain().rows == 30
    written += log.append(entries(range(30, 50)))

    assert slow.drain().rows == 20

    assert landed(home) == sorted(written)
    assert dead_letters(log) == sorted(keys_of(written))


def test_the_loser_sends_the_dead_letters_that_the_winner_owes(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(30)))
    loser = Sink(log, home, FlushPolicy(seconds=0.2))
    loser.step()
    Sink(log, home).drain()
    forget_sent(home)
    time.sleep(0.2)

    loser.step()

    assert set(dead_letters(log)) == set(keys_of(written))
    assert len(dead_letters(log)) == 2 * len(keys_of(written))
    assert landed(home) == sorted(written)


def test_a_sink_killed_before_it_sent_its_dead_letters_sends_them_when_it_starts(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(30)))
    Sink(log, home).drain()
    forget_sent(home)

    assert Sink(log, home).drain() == Landed()

    assert len(dead_letters(log)) == 2 * len(keys_of(written))


def test_case_38_a_poison_record_is_dead_lettered_and_passed(home: Home, log: EventLog) -> None:
    good = entry(1)
    poison = good._replace(value=b"\xff\xfe\x00", headers=(("trace", b"abc"),))
    positions = log.append([good, poison, good])

    assert Sink(log, home).drain() == Landed(3, 1, 1)

    assert set(lag(log, home).values()) == {0}
    (letter,) = replay(log, "feedback.dlt")
    topic, partition, offset = positions[1]
    headers = dict(letter.headers)
    assert letter.value == poison.value
    assert letter.key == f"{topic}/{partition}/{offset}".encode()
    assert headers["flywheel.topic"] == b"feedback"
    assert (headers["flywheel.partition"], headers["flywheel.offset"]) == (b"%d" % partition, b"%d" % offset)
    assert headers["flywheel.reason"] == b"not UTF-8: byte 0xff at 0"
    assert headers["flywheel.timestamp"].endswith(b"+00:00")
    assert headers["flywheel.key"] == good.key.encode()
    assert headers["trace"] == b"abc"
    row = lake(home).filter(log_offset=offset).to_dicts()[0]
    assert (row["raw"], row["error"], row["canonical"]) == (poison.value, "not UTF-8: byte 0xff at 0", None)


def test_case_38_a_poison_record_as_large_as_the_log_takes_is_dead_lettered_too(home: Home, log: EventLog) -> None:
    largest = 1_000_000 - len("k")
    log.append([Entry("feedback", "k", b"{" * largest)])

    Sink(log, home).drain()

    (letter,) = replay(log, "feedback.dlt")
    assert dict(letter.headers)["flywheel.cut_from"] == str(largest).encode()
    assert len(letter.value) > 990_000
    assert lake(home)["raw"].to_list() == [b"{" * largest]


def test_case_39_a_new_owner_repeats_nothing(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(30)))
    first = Sink(log, home, FlushPolicy(rows=5))
    assert first.drain().rows == 30
    sent = dead_letters(log)

    second = Sink(log, home, FlushPolicy(rows=5))
    assert second.drain() == Landed()
    more = log.append([entry(number) for number in range(30, 40)])
    assert second.drain().rows == 10
    assert first.drain() == Landed()

    assert landed(home) == sorted(written + more)
    assert dead_letters(log) == sent == sorted(keys_of(written))


def test_dead_letters_are_not_read_back(home: Home, log: EventLog) -> None:
    log.append([Entry("feedback", "a", POISON)])
    sink = Sink(log, home)
    sink.drain()

    assert sink.drain() == Landed()
    assert log.end_offsets("feedback.dlt") == {0: 1}
    assert not (home.lake / "feedback.dlt").exists()


def test_the_home_of_another_log_is_refused(home: Home, log: EventLog) -> None:
    publish(log, [comment(1)])
    Sink(log, home).drain()
    log.close()
    (home.log / "log.sqlite").unlink()

    with open_log(None, home.path) as other, pytest.raises(TerminalError, match=r"is of the log .* or another --home"):
        Sink(other, home).drain()


def test_a_topic_made_again_is_refused(home: Home, log: EventLog) -> None:
    publish(log, [comment(1)])
    Sink(log, home).drain()
    edit(home, "update topics set id = 'another'")

    with pytest.raises(TerminalError, match=r"deleted and made again. Use another --home"):
        Sink(log, home).drain()


def test_a_log_set_back_to_an_old_copy_is_refused(home: Home, log: EventLog) -> None:
    publish(log, [comment(1)] * 5)
    Sink(log, home).drain()
    edit(home, "update partitions set next_offset = 2 where next_offset = 5")

    with pytest.raises(TerminalError, match=r"landed up to offset 5, and the log ends at 2: it was replaced"):
        Sink(log, home).drain()


def test_a_lake_that_is_gone_lands_again_from_the_same_log(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(30)))
    Sink(log, home).drain()
    home.lake.rename(home.path / "lost")

    assert Sink(log, home).drain().rows == 30
    assert landed(home) == sorted(written)


def keys_of(written: list[Position]) -> list[str]:
    """The dead letters of what `entries` wrote."""
    return ["/".join(map(str, at)) for number, at in enumerate(written) if number % 10 == 9]


def edit(home: Home, statement: str) -> None:
    """Change the embedded log behind its back."""
    with closing(sqlite3.connect(home.log / "log.sqlite")) as database:
        database.execute(statement)
        database.commit()


def forget_sent(home: Home) -> None:
    """What it looks like when the winner was killed between the link and the mark."""
    for mark in home.lake.rglob("dead_letters.sent"):
        mark.unlink()
