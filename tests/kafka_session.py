"""The Kafka that tests run on: one that is given, else docker compose's, else our own from Maven's jars."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPOSE_ADDRESS = "127.0.0.1:9092"
ENGINE_TIMEOUT = 5
COMPOSE_TIMEOUT = 240


@contextmanager
def kafka_session() -> Generator[tuple[str | None, str]]:
    """(address, "") of a broker for as long as the block lasts; (None, why) where none can be had."""
    if given := os.environ.get("KAFKA_BOOTSTRAP_SERVERS"):
        yield given, ""
        return
    if _engine_answers():
        there_before = bool(_compose("ps", "--quiet", "--status", "running", "kafka").stdout.strip())
        started = _compose("up", "-d", "kafka", "--wait")
        if started.returncode == 0:
            yield COMPOSE_ADDRESS, ""
            if not there_before:
                _compose("rm", "--force", "--stop", "--volumes", "kafka")
            return
    # A program of its own, which ends when our end of its standard input does: even a killed session leaves no broker.
    command = [sys.executable, "-m", "ingest.kafka_broker", "--port", "0", "--until-stdin-closes"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        address = running.stdout.readline().strip()
        yield (address, "") if address else (None, f"no Kafka: {running.stderr.read().strip()}")
        running.stdin.close()
        running.wait()


def _engine_answers() -> bool:
    if not shutil.which("docker"):
        return False
    try:
        asked = subprocess.run(["docker", "info"], capture_output=True, timeout=ENGINE_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


def _compose(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["docker", "compose", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=COMPOSE_TIMEOUT, check=False)
