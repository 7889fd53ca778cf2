"""Start one broker (KRaft: broker and controller in one), wait until it answers, stop it."""

import base64
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

from ingest.kafka_broker.jars import jars_folder, java
from models.errors import TerminalError, TransientError

START_TIMEOUT = 60.0  # seconds
MEMORY = ("-Xmx320m", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@contextlib.contextmanager
def broker(port: int = 0) -> Generator[str]:
    """Run a broker on 127.0.0.1 for as long as the block lasts; gives its address, `127.0.0.1:port`.

    Port 0 is any free one. Raises `TerminalError` where the port is taken or Java, Maven or the jars can't be had, and
    `TransientError` where the broker does not come up within a minute.
    """
    runtime, jars = java(), jars_folder()
    port, controller = _free_port(port), _free_port(0)
    folder = Path(tempfile.mkdtemp(prefix="flywheel-kafka-"))
    try:
        properties = folder / "server.properties"
        properties.write_text(_properties(folder, port, controller))
        log = folder / "broker.log"
        java_command = [runtime, *MEMORY, "-cp", f"{jars}/*"]
        cluster = base64.urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
        with log.open("wb") as output:
            subprocess.run(
                [*java_command, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)],
                stdout=output,
                stderr=output,
                cwd=folder,
                check=False,
            )
            # A session of its own: Ctrl-C reaches us alone, and we stop the broker when we are done.
            running = subprocess.Popen(
                [*java_command, "kafka.Kafka", str(properties)],
                stdout=output,
                stderr=output,
                cwd=folder,
                start_new_session=True,
            )
        try:
            _wait_for_port(running, port, log)
            yield f"127.0.0.1:{port}"
        finally:
            running.kill()  # its files go as well, so there is nothing to shut down in order
            running.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _properties(folder: Path, port: int, controller: int) -> str:
    return f"""
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder / "log"}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
"""


def _free_port(wanted: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise TerminalError(
                f"Port {wanted} can't be used ({os.strerror(error.errno or 0)}). Choose another: make kafka PORT=0"
            ) from None
        return int(probe.getsockname()[1])


def _wait_for_port(running: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    """KRaft opens the broker's port only once it may serve, so a connection is enough to know."""
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        if running.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    tail = " / ".join(log.read_text(errors="replace").strip().splitlines()[-3:])
    raise TransientError(f"Kafka did not come up on port {port} within {START_TIMEOUT:.0f} s. It said: {tail[:500]}")
