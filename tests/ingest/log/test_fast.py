"""The log on Kafka by confluent-kafka: the same contract on the same broker, and the same log as by kafka-python."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from random import randbytes
from typing import Any
from uuid import uuid4

import pytest

from ingest.log import Entry, open_log
from ingest.log.kafka_client import kafka, topic_partition
from models.errors import TerminalError
from tests.ingest.log.test_kafka import TestKafka as KafkaContract
from tests.ingest.log_contract import LogAddress, values

pytestmark = pytest.mark.kafka


@pytest.fixture
def prefix() -> str:
    return f"test-{uuid4().hex}"


@pytest.fixture
def address(kafka_bootstrap: str, prefix: str, tmp_path: Path) -> Generator[LogAddress]:
    address = LogAddress(f"kafka+fast://{kafka_bootstrap}/{prefix}", tmp_path)
    with address.opened:
        yield address


@pytest.fixture
def admin(kafka_bootstrap: str) -> Generator[Any]:
    with kafka.KafkaAdminClient(bootstrap_servers=kafka_bootstrap) as admin:
        yield admin


class TestFast(KafkaContract):
    pass


def test_either_client_reads_what_the_other_wrote(
    address: LogAddress, kafka_bootstrap: str, prefix: str, tmp_path: Path
) -> None:
    fast = address.open()
    with open_log(f"kafka://{kafka_bootstrap}/{prefix}", tmp_path) as plain:
        assert fast.identity() == plain.identity()
        headers = (("a", b""), ("é", b"\x00\xff"))
        for number, writer in enumerate((fast, plain, fast)):
            writer.append([Entry("feedback", str(key), f"{number}".encode(), headers) for key in range(20)])
        assert fast.topic_id("feedback") == plain.topic_id("feedback")
        for partition, end in plain.end_offsets("feedback").items():
            batch = plain.read("feedback", partition, 0)
            assert fast.read("feedback", partition, 0) == batch
            assert batch.next_offset == end


def test_what_retention_has_removed_is_refused_and_named(address: LogAddress, prefix: str, admin: Any) -> None:
    log = address.open()
    log.append([Entry("jobs", "k", str(n).encode()) for n in range(10)])
    admin.delete_records({topic_partition(f"{prefix}.jobs", 0): 4})
    with pytest.raises(TerminalError, match=rf"{prefix}\.jobs, partition 0 .*no offset 2: it keeps 4 to 10"):
        log.read("jobs", 0, 2)
    assert values(log, "jobs") == [str(n).encode() for n in range(4, 10)]


def test_a_damaged_batch_is_named_and_what_follows_is_still_read(address: LogAddress, prefix: str, admin: Any) -> None:
    log = address.open()
    for _ in range(3):
        log.append([Entry("jobs", "k", randbytes(300))] * 5)
    folders = [Path(folder["log_dir"]) for broker in admin.describe_log_dirs() for folder in broker["log_dirs"]]
    segments = [found for folder in folders for found in folder.glob(f"{prefix}.jobs-0/*.log")]
    if not segments:
        pytest.skip("the broker's files are on another machine")
    content = bytearray(segments[0].read_bytes())
    middle = len(content) // 2
    with segments[0].open("r+b") as segment:
        segment.seek(middle)
        segment.write(bytes([content[middle] ^ 0xFF]))
    assert log.read("jobs", 0, 0).next_offset == 5
    for _ in range(2):
        with pytest.raises(TerminalError, match=rf"{prefix}\.jobs, partition 0 is damaged .*offset 5"):
            log.read("jobs", 0, 5)
    assert [record.offset for record in log.read("jobs", 0, 10).records] == [10, 11, 12, 13, 14]


def test_without_confluent_kafka_the_way_out_is_said(kafka_bootstrap: str, tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['confluent_kafka'] = None\n"
        "from pathlib import Path\nfrom ingest.log import open_log\n"
        "from models.errors import TerminalError\n"
        f"try: open_log('kafka+fast://{kafka_bootstrap}', Path({str(tmp_path)!r}))\n"
        "except TerminalError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install '.[fast]'" in said
