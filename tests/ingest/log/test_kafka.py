"""The log on Kafka: the contract on a real broker, and what only a broker can do."""

import threading
import time
from collections.abc import Generator
from pathlib import Path
from random import randbytes
from typing import Any
from uuid import uuid4

import pytest

from ingest.log import Batch, Entry, EventLog, open_log, partition_of
from ingest.log.kafka_client import kafka, topic_partition, topic_settings
from models.errors import TerminalError
from models.topics import TOPICS
from tests.ingest.log_contract import LogAddress, LogContract, values

pytestmark = pytest.mark.kafka


@pytest.fixture
def prefix() -> str:
    return f"test-{uuid4().hex}"


@pytest.fixture
def address(kafka_bootstrap: str, prefix: str, tmp_path: Path) -> Generator[LogAddress]:
    address = LogAddress(f"kafka://{kafka_bootstrap}/{prefix}", tmp_path)
    with address.opened:
        yield address


@pytest.fixture
def admin(kafka_bootstrap: str) -> Generator[Any]:
    with kafka.KafkaAdminClient(bootstrap_servers=kafka_bootstrap) as admin:
        yield admin


class TestKafka(LogContract):
    @pytest.fixture
    def address(self, address: LogAddress) -> LogAddress:
        return address

    def leave_gap(self, address: LogAddress, topic: str, key: str) -> None:
        """A transaction that is aborted: three records that nobody may see, and its marker."""
        name, log = f"{(address.url or '').rpartition('/')[2]}.{topic}", address.open()
        partition = partition_of(key.encode(), len(log.end_offsets(topic)))
        servers = (address.url or "").partition("://")[2].partition("/")[0]
        producer = kafka.KafkaProducer(bootstrap_servers=servers, transactional_id=uuid4().hex)
        producer.init_transactions()
        producer.begin_transaction()
        for _ in range(3):
            producer.send(name, key=key.encode(), value=b"aborted", partition=partition).get(timeout=30)
        end = log.end_offsets(topic)[partition]
        assert log.read(topic, partition, end) == Batch((), end)
        producer.abort_transaction()
        producer.close(timeout=10)
        while log.end_offsets(topic)[partition] == end:  # the marker is written after the abort is acknowledged
            time.sleep(0.02)


def setting(admin: Any, topic: str, name: str) -> str:
    answer = admin.describe_configs([topic_settings(topic, [name])], config_filter="all")
    return answer["topic"][topic][name]["value"]


def test_topics_are_created_as_the_contract_says(address: LogAddress, prefix: str, admin: Any) -> None:
    address.open().append([Entry(topic, "k", b"v") for topic in ("feedback", "jobs", "feedback.dlt")])
    names = {topic: f"{prefix}.{topic}" for topic in ("feedback", "jobs", "feedback.dlt")}
    assert {setting(admin, name, "message.timestamp.type") for name in names.values()} == {"LogAppendTime"}
    assert setting(admin, names["feedback"], "retention.ms") == str(TOPICS["feedback"].retention_ms)
    assert setting(admin, names["jobs"], "retention.ms") == "-1"
    assert setting(admin, names["feedback.dlt"], "retention.ms") != "-1"


def test_a_topic_with_the_producers_clock_is_refused(address: LogAddress, prefix: str, admin: Any) -> None:
    admin.create_topics({f"{prefix}.jobs": {"num_partitions": 1}}, wait_for_metadata=True)
    log = address.open()
    with pytest.raises(TerminalError, match=rf"{prefix}\.jobs.*CreateTime.*LogAppendTime"):
        log.append([Entry("jobs", "k", b"v")])
    with pytest.raises(TerminalError, match="LogAppendTime"):
        log.read("jobs", 0, 0)


def test_a_topic_made_by_hand_keeps_its_partitions(address: LogAddress, prefix: str, admin: Any) -> None:
    clock = {"configs": {"message.timestamp.type": "LogAppendTime"}}
    admin.create_topics({f"{prefix}.jobs": {"num_partitions": 5, **clock}}, wait_for_metadata=True)
    positions = address.open().append([Entry("jobs", str(n), b"v") for n in range(40)])
    assert [position.partition for position in positions] == [partition_of(str(n).encode(), 5) for n in range(40)]


def test_what_retention_has_removed_is_refused_and_named(address: LogAddress, prefix: str, admin: Any) -> None:
    log = address.open()
    log.append([Entry("jobs", "k", str(n).encode()) for n in range(10)])
    admin.delete_records({topic_partition(f"{prefix}.jobs", 0): 4})
    assert log.begin_offsets("jobs") == {0: 4}
    with pytest.raises(TerminalError, match=rf"{prefix}\.jobs, partition 0 .*no offset 2: it keeps 4 to 10"):
        log.read("jobs", 0, 2)
    assert values(log, "jobs") == [str(n).encode() for n in range(4, 10)]


def test_homes_that_share_a_broker_do_not_mix(kafka_bootstrap: str, prefix: str, tmp_path: Path) -> None:
    def home(name: str) -> EventLog:
        return open_log(f"kafka://{kafka_bootstrap}{name}", tmp_path)

    with home(f"/{prefix}") as ours, home(f"/{prefix}-2") as theirs, home("") as bare:
        ours.append([Entry("jobs", "k", b"ours"), Entry("jobs.dlt", "k", b"ours")])
        theirs.append([Entry("jobs", "k", b"theirs")])
        assert ours.topics() == ["jobs", "jobs.dlt"]
        assert values(ours, "jobs") == [b"ours"]
        assert values(theirs, "jobs") == [b"theirs"]
        assert not any(topic.startswith(prefix) for topic in bare.topics())


def test_a_topic_that_was_made_anew_has_another_id(address: LogAddress, prefix: str, admin: Any) -> None:
    log = address.open()
    log.append([Entry("jobs", "k", b"v")])
    before = log.topic_id("jobs")
    admin.delete_topics([f"{prefix}.jobs"])
    with address.open() as later:
        later.append([Entry("jobs", "k", b"w")])
        assert later.topic_id("jobs") == log.topic_id("jobs") != before


def test_threads_share_a_log(address: LogAddress) -> None:
    log = address.open()

    def write(name: str) -> None:
        for number in range(20):
            log.append([Entry("feedback", name, str(number).encode())])
            log.read("feedback", 0, 0)

    writers = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(values(log, "feedback")) == sorted(str(number).encode() for number in range(20) for _ in writers)


def test_a_damaged_batch_is_named_and_what_follows_is_still_read(address: LogAddress, prefix: str, admin: Any) -> None:
    log = address.open()
    for _ in range(3):
        log.append([Entry("jobs", "k", randbytes(300))] * 5)
    folders = [Path(folder["log_dir"]) for broker in admin.describe_log_dirs() for folder in broker["log_dirs"]]
    segments = [found for folder in folders for found in folder.glob(f"{prefix}.jobs-0/*.log")]
    if not segments:
        pytest.skip("the broker's files are on another machine")
    middle = segments[0].stat().st_size // 2
    with segments[0].open("r+b") as segment:
        segment.seek(middle)
        was = segment.read(1)
        segment.seek(middle)
        segment.write(bytes([was[0] ^ 0xFF]))
    assert log.read("jobs", 0, 0).next_offset == 5
    for _ in range(2):
        with pytest.raises(TerminalError, match=rf"{prefix}\.jobs, partition 0 is damaged .*offset 5"):
            log.read("jobs", 0, 5)
    assert [record.offset for record in log.read("jobs", 0, 10).records] == [10, 11, 12, 13, 14]
