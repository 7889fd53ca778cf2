"""The collector as a user runs it: a program that is killed, ended, and run on Kafka."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.collector import Settings, collector_app
from ingest.collector.keys import keys_file
from ingest.collector.server import serve
from ingest.log import open_log, replay
from ingest.log.kafka_client import kafka
from models.errors import TerminalError
from tests.e2e.command import command, environment

JSON = {"Content-Type": "application/json"}
THUMB = {"response_id": "r", "thumb": "up"}
Start = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start("--open", log=...)` is a collector that listens on a port of its own, and its address."""
    running: list[subprocess.Popen[str]] = []

    def begin(*arguments: str, log: str | None = None) -> tuple[subprocess.Popen[str], str]:
        words = command("serve", "--port", "0", *arguments, home=tmp_path / "home", log=log)
        program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())
        running.append(program)
        assert program.stdout
        said = program.stdout.readline()
        assert said.startswith("listening on http://127.0.0.1:")
        return program, said.split()[-1]

    yield begin
    for program in running:
        program.kill()
        program.communicate()


def test_what_was_accepted_survives_a_kill_and_is_known_after_it(start: Start, tmp_path: Path) -> None:
    program, address = start("--open")
    with httpx.Client() as client:
        answers = [client.post(f"{address}/v1/thumbs", json={**THUMB, "id": f"t{n}"}).json() for n in range(5)]
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert [answer["accepted"] for answer in answers] == [1] * 5
    program, address = start("--open")
    again = httpx.post(f"{address}/v1/thumbs", json=[{**THUMB, "id": f"t{n}"} for n in range(6)]).json()
    assert (again["duplicate"], again["accepted"]) == (5, 1)
    program.send_signal(signal.SIGTERM)
    assert program.wait(timeout=60) == 0
    with open_log(None, tmp_path / "home") as log:
        assert sorted(json.loads(record.value)["id"] for record in replay(log, "feedback")) == [
            f"t{n}" for n in range(6)
        ]


def test_keys_are_made_listed_and_revoked_on_the_command_line(place: Any) -> None:
    def flywheel(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["--home", str(place.home.path), "keys", *arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    secret = flywheel("create", "--name", "web").strip()
    client, headers = place.client(keyless=False), {"Authorization": f"Bearer {secret}"}
    assert client.post("/v1/thumbs", json=THUMB).status_code == 401
    assert client.post("/v1/thumbs", json=THUMB, headers=headers).status_code == 202
    (listed,) = json.loads(flywheel("list", "--json"))
    assert (listed["name"], listed["source"], listed["scopes"]) == ("web", "web", ["feedback"])
    assert secret not in flywheel("list")
    assert "is revoked" in flywheel("revoke", "web")
    assert client.post("/v1/thumbs", json=THUMB, headers=headers).status_code == 401


@pytest.mark.parametrize(
    "option",
    [
        "--body-mb=nan",
        "--body-mb=0",
        "--body-mb=1e9",
        "--rate=-1",
        "--rate=inf",
        "--batch=0",
        "--port=65536",
        "--port=-1",
    ],
)
def test_a_limit_that_is_none_is_refused(tmp_path: Path, option: str) -> None:
    done = CliRunner().invoke(cli, ["serve", "--open", "--home", str(tmp_path / "home"), option])
    assert (done.exit_code, "Invalid value" in done.output) == (2, True), done.output
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--name", ""], "name ''"),
        (["--name", "web", "--source", ""], "source ''"),
        (["--name", "x" * 513], "name 'xx"),
    ],
)
def test_a_key_for_nobody_is_refused_in_a_line(place: Any, options: list[str], what: str) -> None:
    words = ["keys", "create", "--home", str(place.home.path), *options]
    with pytest.raises(TerminalError, match=f"no key can have the {what}") as refused:
        CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "\n" not in str(refused.value)
    assert not keys_file(place.home).exists()


def test_an_address_that_cant_be_served_is_one_line(place: Any) -> None:
    def begin(host: str, port: int) -> None:
        serve(place.home, place.log, Settings(), host=host, port=port, keyless=True, listening=print)

    with pytest.raises(TerminalError, match="--open serves this machine alone"):
        begin("0.0.0.0", 0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TerminalError, match=f"127.0.0.1:{port} can't be listened on"):
            begin("127.0.0.1", port)
    with pytest.raises(TerminalError, match=r"127\.0\.0\.1:70000 can't be listened on"):
        begin("127.0.0.1", 70_000)


@pytest.mark.kafka
def test_on_kafka_one_topic_that_is_refused_does_not_hold_up_another(
    place: Any, kafka_bootstrap: str, talk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    prefix = f"test-{uuid4().hex}"
    with kafka.KafkaAdminClient(bootstrap_servers=kafka_bootstrap) as admin:
        configs = {"message.timestamp.type": "CreateTime"}
        topic = {"num_partitions": 1, "replication_factor": 1, "configs": configs}
        admin.create_topics({f"{prefix}.experiments": topic})
        admin.wait_for_topics([f"{prefix}.experiments"])
    with open_log(f"kafka://{kafka_bootstrap}/{prefix}", place.home.path) as log:
        exposure = {"experiment_id": "e", "variant": "a", "person_id": "u"}
        thumbs = [("/v1/thumbs", JSON, [json.dumps({**THUMB, "id": f"t{n}"}).encode()]) for n in range(4)]
        exposures = [("/v1/exposures", JSON, [json.dumps({**exposure, "id": f"e{n}"}).encode()]) for n in range(4)]
        mixed = [request for pair in zip(thumbs, exposures, strict=True) for request in pair]
        app = collector_app(place.home, log, Settings(), keyless=True)
        assert [status for status, _ in talk(app, *mixed)] == [202, 503] * 4
        # They did go to the log together: a group of several was refused, and then each request tried alone.
        assert [said for said in caplog.messages if re.search(r"did not take ([2-9]|\d\d+) events", said)]
        client = place.client(log=log)
        again = client.post("/v1/thumbs", json=[{**THUMB, "id": f"t{n}"} for n in range(5)]).json()
        assert (again["duplicate"], again["accepted"]) == (4, 1)
        there = sorted(json.loads(record.value)["id"] for record in replay(log, "feedback"))
        assert there == [f"t{n}" for n in range(5)]
