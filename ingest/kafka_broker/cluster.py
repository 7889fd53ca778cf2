"""Nodes that form one cluster on this machine, for as long as a block lasts."""

import base64
import contextlib
import shutil
import tempfile
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ingest.kafka_broker.jars import jars_folder, java
from ingest.kafka_broker.node import Listener, Node, free_port


class Cluster(NamedTuple):
    """A cluster that runs."""

    nodes: list[Node]

    @property
    def bootstrap(self) -> str:
        """`host:port` of every node, with commas."""
        return ",".join(node.address for node in self.nodes)

    def node(self, number: int) -> Node:
        """The node that the brokers' answers call `number`."""
        return self.nodes[number - 1]

    def restart(self) -> None:
        """kill -9 to every node, then start all. Each keeps its files and its ports."""
        for node in self.nodes:
            node.kill()
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait()


@contextlib.contextmanager
def cluster(
    nodes: int = 1,
    *,
    port: int = 0,
    listeners: Sequence[Listener] = (),
    settings: Mapping[str, str] | None = None,
) -> Generator[Cluster]:
    """Run `nodes` brokers on 127.0.0.1; the first listens on `port`, 0 is any free one.

    Each has `listeners` beside its open door, and `settings` of a broker beside our own. Raises `TerminalError` where
    the port is taken or Java, Maven or the jars can't be had, and `TransientError` where a broker does not come up
    within a minute.
    """
    for found in (java, jars_folder):
        found()  # whatever is missing is said before anything starts
    names = ["PLAINTEXT", "CONTROLLER", *(listener.name for listener in listeners)]
    folder = Path(tempfile.mkdtemp(prefix="flywheel-kafka-"))
    members = [
        Node(number, folder / str(number), {name: free_port() for name in names}) for number in range(1, nodes + 1)
    ]
    try:
        members[0].ports["PLAINTEXT"] = free_port(port)
        cluster_id = base64.urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
        voters = ",".join(f"{node.number}@{node.at('CONTROLLER')}" for node in members)
        for node in members:
            node.prepare(cluster_id, voters, list(listeners), nodes, settings or {})
        for node in members:
            node.start()
        for node in members:
            node.wait()
        yield Cluster(members)
    finally:
        for node in members:
            node.kill()  # its files go as well, so there is nothing to shut down in order
        shutil.rmtree(folder, ignore_errors=True)
