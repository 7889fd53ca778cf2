"""`flywheel topics` against a real broker: what it makes, mends, and leaves with a reason."""

from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from flywheel.cli import cli
from ingest.log import Entry, open_log
from ingest.log.kafka_client import kafka, topic_settings
from ingest.log.kafka_settings import Difference, Found, differences, settings
from models.topics import DAY_MS, LOG_TOPICS, TOPICS

EVERY = len(LOG_TOPICS) + len(TOPICS)
"""Topics, lanes and dead letters."""


@pytest.fixture
def url(kafka_bootstrap: str) -> str:
    return f"kafka://{kafka_bootstrap}/test-{uuid4().hex}"


@pytest.fixture
def admin(kafka_bootstrap: str) -> Generator[Any]:
    with kafka.KafkaAdminClient(bootstrap_servers=kafka_bootstrap) as admin:
        yield admin


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["topics", *arguments])


def lines(ran: Result, topic: str) -> list[str]:
    """The rows of the table that are about one topic."""
    return [line for line in ran.stdout.splitlines() if f".{topic} " in line]


@pytest.mark.kafka
def test_apply_makes_every_topic_and_then_nothing_differs(url: str, tmp_path: Path) -> None:
    before = run("diff", "--log", url)
    assert before.exit_code == 1
    assert len([line for line in before.stdout.splitlines() if "not there" in line]) == EVERY
    with open_log(url, tmp_path) as log:
        assert log.topics() == [], "a diff makes nothing"

    made = run("apply", "--log", url)
    assert (made.exit_code, made.stdout.splitlines()[-1]) == (0, f"{EVERY} differences, 0 left")

    for command in (["diff"], ["apply", "--dry-run"], ["apply"]):
        assert run(*command, "--log", url).stdout == "all topics are as the contract wants them\n"
    with open_log(url, tmp_path) as log:
        assert {topic: len(log.end_offsets(topic)) for topic in TOPICS} == {
            topic: contract.partitions for topic, contract in TOPICS.items()
        }


@pytest.mark.kafka
def test_what_can_be_mended_is_and_the_rest_is_left_with_a_reason(url: str, admin: Any, tmp_path: Path) -> None:
    prefix = url.rpartition("/")[2]

    def make(topic: str, partitions: int, **configs: str) -> None:
        named = {name.replace("_", "."): value for name, value in configs.items()}
        admin.create_topics({f"{prefix}.{topic}": {"num_partitions": partitions, "configs": named}})

    stamped = {"message_timestamp_type": "LogAppendTime"}
    make("jobs", 1, cleanup_policy="compact", max_message_bytes="1000")  # empty, so even its clock may change
    make("feedback", 2, retention_ms="-1", **stamped)
    make("results", 4, retention_ms="1000000000", max_message_bytes="9000000", **stamped)
    with open_log(url, tmp_path) as log:
        log.append([Entry("feedback", "k", b"v")])

    ran = run("apply", "--log", url)

    assert ran.exit_code == 1
    assert all("changed" in line for line in lines(ran, "jobs"))
    assert len(lines(ran, "jobs")) == 4
    more, shorter = lines(ran, "feedback")
    assert "the events of one key would stand in two" in more
    assert "say --shorten-retention" in shorter
    fewer, longer = lines(ran, "results")
    assert "takes no partition away" in fewer
    assert "changed" in longer
    answer = admin.describe_configs(
        [topic_settings(f"{prefix}.{topic}", ["retention.ms"]) for topic in ("jobs", "feedback", "results")],
        config_filter="all",
    )
    kept = {name.rpartition(".")[2]: found["retention.ms"]["value"] for name, found in answer["topic"].items()}
    assert kept == {"jobs": "-1", "feedback": "-1", "results": "-1"}

    again = run("apply", "--shorten-retention", "--log", url)

    assert [line.split()[-2] for line in lines(again, "feedback") if "retention" in line] == ["changed"]
    assert len(lines(run("diff", "--log", url), "feedback")) == 1


def test_the_embedded_log_has_nothing_to_set(tmp_path: Path) -> None:
    ran = run("apply", "--home", str(tmp_path))
    assert ran.exit_code == 0
    assert "embedded log keeps everything" in ran.stdout


def found(**settings_: str) -> Found:
    """The topic `feedback` on one broker of three, as wanted but for what is given."""
    return Found(3, 1, False, settings("feedback", 1) | {name.replace("_", "."): v for name, v in settings_.items()})


def test_one_replica_is_told_and_never_made_to_wait_for_a_second() -> None:
    (difference,) = differences("feedback", found(), brokers=3)
    assert difference[:4] == ("feedback", "replication factor", "1", "3")
    assert "kafka-reassign-partitions" in difference.refusal
    assert settings("feedback", 3)["min.insync.replicas"] == "2"


@pytest.mark.parametrize(
    ("setting", "is_", "wanted", "refused"),
    [
        ("message.timestamp.type", "CreateTime", "LogAppendTime", "producers' times"),
        ("retention.ms", str(100 * DAY_MS), str(90 * DAY_MS), "--shorten-retention"),
        ("retention.ms", str(10 * DAY_MS), str(90 * DAY_MS), ""),
        ("cleanup.policy", "compact", "delete", "--shorten-retention"),
        ("retention.bytes", "1000", "-1", ""),
        ("max.message.bytes", "1000", "1048588", ""),
        ("unclean.leader.election.enable", "true", "false", ""),
    ],
)
def test_what_may_be_changed(setting: str, is_: str, wanted: str, refused: str) -> None:
    state = found()
    state.settings[setting] = is_
    (difference,) = differences("feedback", state, brokers=1)
    assert difference == Difference("feedback", setting, is_, wanted, difference.refusal)
    assert refused in difference.refusal
    assert bool(difference.refusal) == bool(refused)
    mended = differences("feedback", state._replace(empty=True), brokers=1, may_shorten=True)
    assert [found.refusal for found in mended] == [""]
