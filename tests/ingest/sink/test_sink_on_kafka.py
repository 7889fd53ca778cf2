"""The sink on a real broker: gaps that transactions leave, and what retention and deletion take away."""

from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ingest.home import Home
from ingest.log import EventLog, open_log
from ingest.log.kafka_client import kafka, topic_partition
from ingest.sink import FlushPolicy, Landed, Sink
from ingest.sink.lag import lag
from models.errors import TerminalError
from tests.ingest.sink.written import dead_letters, entries, landed, wait_for

pytestmark = pytest.mark.kafka


@pytest.fixture
def prefix() -> str:
    return f"test-{uuid4().hex}"


@pytest.fixture
def log(home: Home, kafka_bootstrap: str, prefix: str) -> Generator[EventLog]:
    with open_log(f"kafka://{kafka_bootstrap}/{prefix}", home.path) as opened:
        yield opened


@pytest.fixture
def admin(kafka_bootstrap: str) -> Generator[Any]:
    with kafka.KafkaAdminClient(bootstrap_servers=kafka_bootstrap) as admin:
        yield admin


def test_what_transactions_leave_in_the_log_is_passed_over(
    home: Home, log: EventLog, kafka_bootstrap: str, prefix: str
) -> None:
    written = log.append(entries(range(30)))
    producer: Any = kafka.KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id=uuid4().hex)
    producer.init_transactions()
    producer.begin_transaction()
    for partition in range(3):
        producer.send(f"{prefix}.feedback", key=b"k", value=b"aborted", partition=partition).get(timeout=30)
    producer.abort_transaction()
    producer.close(timeout=10)
    wait_for(lambda: sum(log.end_offsets("feedback").values()) == 30 + 2 * 3)
    # Markers behind the last record, before anything has landed and after.
    Sink(log, home).drain()
    assert set(lag(log, home).values()) == {0}
    home.lake.rename(home.path / "landed before")
    assert sum(lag(log, home).values()) == 30 + 2 * 3
    written += log.append(entries(range(30, 60)))

    assert Sink(log, home, FlushPolicy(rows=8)).drain().rows == 60
    assert Sink(log, home).drain() == Landed()

    assert landed(home) == sorted(written)
    assert len(set(dead_letters(log))) == 6
    assert set(lag(log, home).values()) == {0}


def test_a_position_lost_to_retention_is_refused(home: Home, log: EventLog, prefix: str, admin: Any) -> None:
    log.append(entries(range(30)))
    Sink(log, home).drain()
    ends = log.end_offsets("feedback")
    log.append(entries(range(30, 60)))
    lost = {topic_partition(f"{prefix}.feedback", partition): end + 2 for partition, end in ends.items()}
    admin.delete_records(lost)

    kept = sum(log.end_offsets("feedback").values()) - sum(end + 2 for end in ends.values())
    assert sum(lag(log, home).values()) == kept, "what the log has lost is nothing to wait for"

    with pytest.raises(TerminalError, match=r"feedback/0 has landed up to offset \d+, .*import it again"):
        Sink(log, home).drain()


def test_a_lake_that_is_gone_is_not_landed_again_in_part(home: Home, log: EventLog, prefix: str, admin: Any) -> None:
    log.append(entries(range(30)))
    Sink(log, home).drain()
    home.lake.rename(home.path / "lost")
    admin.delete_records({topic_partition(f"{prefix}.feedback", partition): 2 for partition in range(3)})

    with pytest.raises(TerminalError, match=r"feedback/0 has landed up to offset 0, and the log can't give"):
        Sink(log, home).drain()


def test_a_new_home_takes_what_the_log_still_has(home: Home, log: EventLog, prefix: str, admin: Any) -> None:
    written = log.append(entries(range(30)))
    admin.delete_records({topic_partition(f"{prefix}.feedback", partition): 2 for partition in range(3)})

    Sink(log, home).drain()

    assert landed(home) == sorted(at for at in written if at.offset >= 2)


def test_a_topic_made_again_is_refused_by_who_runs_and_who_starts(
    home: Home, log: EventLog, kafka_bootstrap: str, prefix: str, admin: Any
) -> None:
    written = log.append(entries(range(30)))
    runs = Sink(log, home)
    runs.drain()
    admin.delete_topics([f"{prefix}.feedback"])
    wait_for(lambda: f"{prefix}.feedback" not in admin.list_topics())
    with open_log(f"kafka://{kafka_bootstrap}/{prefix}", home.path) as later:
        later.append(entries(range(60)))
        with pytest.raises(TerminalError, match=r"feedback is now topic .* it was deleted and made again"):
            Sink(later, home).drain()
    # Its positions are there in the new topic as well, with other events.
    with pytest.raises(TerminalError, match=r"feedback was topic .* it was deleted and made again"):
        runs.drain()
    assert landed(home) == sorted(written)


def test_a_damaged_partition_is_named_and_the_others_land(home: Home, log: EventLog, prefix: str, admin: Any) -> None:
    for first in range(0, 300, 30):
        log.append(entries(range(first, first + 30)))
    folders = [Path(folder["log_dir"]) for broker in admin.describe_log_dirs() for folder in broker["log_dirs"]]
    files = [found for folder in folders for found in folder.glob(f"{prefix}.feedback-0/*.log")]
    if not files:
        pytest.skip("the broker's files are on another machine")
    with files[0].open("r+b") as file:
        file.seek(files[0].stat().st_size // 2)
        was = file.read(16)
        file.seek(-16, 1)
        file.write(bytes(byte ^ 0xFF for byte in was))

    with pytest.raises(TerminalError, match=r"feedback, partition 0 is damaged"):
        Sink(log, home).drain()

    ends = log.end_offsets("feedback")
    assert [sum(at.partition == partition for at in landed(home)) for partition in (1, 2)] == [ends[1], ends[2]]
