"""`make kafka`: what it says when it can't start. That the broker works, the tests of the log show."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ingest.kafka_broker import KAFKA_VERSION
from ingest.kafka_broker.jars import POM

ROOT = Path(__file__).parents[3]


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """The broker's program with nothing on its standard input, which ends it as soon as it runs."""
    return subprocess.run(
        [sys.executable, "-m", "ingest.kafka_broker", "--until-stdin-closes", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_version_is_the_one_that_maven_fetches() -> None:
    maven = {"m": "http://maven.apache.org/POM/4.0.0"}
    assert ElementTree.parse(POM).findtext(".//m:dependency/m:version", namespaces=maven) == KAFKA_VERSION


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    ran = run(PATH=str(tmp_path), JAVA_HOME="")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "Kafka needs Java 17 or newer, and there is no `java`. Install a JDK, or set JAVA_HOME.\n"


def test_without_maven_it_says_what_to_install(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch(mode=0o755)
    ran = run(PATH="", JAVA_HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "there is no `mvn` to fetch them. Install Maven, or set KAFKA_BOOTSTRAP_SERVERS" in ran.stderr


@pytest.mark.kafka
@pytest.mark.usefixtures("kafka_bootstrap")  # skips where there is no Kafka to be had, and has fetched the jars
def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("--port", str(port))
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"Port {port} can't be used")
