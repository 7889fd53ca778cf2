"""One node of a cluster as a process: broker and controller in one (KRaft). It can be killed, frozen and started again.

Its files are in a folder of the cluster's and outlive the process, so that a node that comes back is the same node.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingest.kafka_broker.jars import jars_folder, java
from models.errors import TerminalError, TransientError

START_TIMEOUT = 60.0  # seconds
STOP_TIMEOUT = 30.0  # seconds
MEMORY = ("-Xmx320m", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True)
class Listener:
    """One more door of a broker, on a port of its own. Clients come in by `protocol`, set up by `settings`."""

    name: str
    """Capital letters: Kafka asks for them."""
    protocol: str
    """PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."""
    settings: dict[str, str] = field(default_factory=dict[str, str])
    """Broker settings that hold for this door alone, such as `ssl.keystore.location`."""


@dataclass
class Node:
    """A node: its number from 1, its folder, and where it listens. `ports` is by the listener's name."""

    number: int
    folder: Path
    ports: dict[str, int]
    running: "subprocess.Popen[bytes] | None" = None

    @property
    def address(self) -> str:
        """`host:port` of the door without locks."""
        return self.at("PLAINTEXT")

    @property
    def log_folder(self) -> Path:
        """Where the node keeps partitions: `<topic>-<partition>/<offset>.log`."""
        return self.folder / "log"

    def at(self, listener: str) -> str:
        """`host:port` of one listener."""
        return f"127.0.0.1:{self.ports[listener]}"

    def prepare(
        self, cluster_id: str, voters: str, listeners: list[Listener], nodes: int, settings: Mapping[str, str]
    ) -> None:
        """Write the node's settings, and make its log folder one of the cluster's."""
        self.folder.mkdir(parents=True)
        added = [f"{name}={value}\n" for name, value in settings.items()]
        self._properties.write_text(_properties(self, voters, listeners, nodes) + "".join(added))
        self._java("kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(self._properties)).wait()

    def start(self) -> None:
        """Start the process; `wait` says when it serves."""
        self.running = self._java("kafka.Kafka", str(self._properties))

    def wait(self) -> None:
        """Until it serves. KRaft opens a broker's ports only once it may serve, so a connection is enough to know."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self.running and self.running.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        tail = " / ".join(self._output.read_text(errors="replace").strip().splitlines()[-3:])
        raise TransientError(
            f"Kafka did not come up on port {self.port} within {START_TIMEOUT:.0f} s. It said: {tail[:500]}"
        )

    @property
    def port(self) -> int:
        """Of the door without locks."""
        return self.ports["PLAINTEXT"]

    def freeze(self) -> None:
        """Stop it in mid-stride: its connections stay open, and nobody answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen one go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """Let it shut down in order."""
        self._signal(signal.SIGTERM)
        if self.running:
            self.running.wait(STOP_TIMEOUT)

    def kill(self) -> None:
        """kill -9, frozen or not."""
        if self.running and self.running.poll() is None:
            self.running.kill()
            self.running.wait()

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"

    @property
    def _output(self) -> Path:
        return self.folder / "broker.log"

    def _signal(self, number: signal.Signals) -> None:
        if self.running:
            self.running.send_signal(number)

    def _java(self, *arguments: str) -> "subprocess.Popen[bytes]":
        # A session of its own: Ctrl-C reaches us alone, and we stop the broker when we are done.
        with self._output.open("ab") as output:
            return subprocess.Popen(
                [java(), *MEMORY, "-cp", f"{jars_folder()}/*", *arguments],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                start_new_session=True,
            )


def free_port(wanted: int = 0) -> int:
    """`wanted`, or any free port for 0. `TerminalError` where it can't be had."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise TerminalError(
                f"Port {wanted} can't be used ({os.strerror(error.errno or 0)}). Choose another: make kafka PORT=0"
            ) from None
        return int(probe.getsockname()[1])


def _properties(node: Node, voters: str, listeners: list[Listener], nodes: int) -> str:
    doors = [Listener("PLAINTEXT", "PLAINTEXT"), *listeners]
    addresses = ",".join(f"{door.name}://{node.at(door.name)}" for door in doors)
    protocols = ",".join(f"{door.name}:{door.protocol}" for door in doors)
    copies, in_sync = min(3, nodes), 2 if nodes >= 3 else 1
    own = [
        f"listener.name.{door.name.lower()}.{name}={value}" for door in doors for name, value in door.settings.items()
    ]
    return f"""
process.roles=broker,controller
node.id={node.number}
controller.quorum.voters={voters}
listeners={addresses},CONTROLLER://{node.at("CONTROLLER")}
advertised.listeners={addresses}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map={protocols},CONTROLLER:PLAINTEXT
log.dirs={node.log_folder}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
default.replication.factor={copies}
min.insync.replicas={in_sync}
offsets.topic.replication.factor={copies}
offsets.topic.num.partitions=1
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr={in_sync}
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor={copies}
share.coordinator.state.topic.min.isr={in_sync}
{chr(10).join(own)}
"""
