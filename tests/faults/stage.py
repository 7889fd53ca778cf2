"""Where faults are tried: three brokers for all, and for each fault a home, a log and an account of its own."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import polars as pl

from ingest.home import Home
from ingest.kafka_broker.cluster import Cluster
from ingest.kafka_broker.node import Node
from ingest.log import EventLog, open_log, publish
from ingest.log.kafka_client import kafka
from models.errors import TransientError
from tests.ingest.sink.written import comment, lake

ROOT = Path(__file__).parents[2]
PATIENCE_S = 180.0


class Outcome(NamedTuple):
    """What became of the events that were accepted while the fault was there."""

    what: str
    accepted: int = 0
    lost: int = 0
    doubled: int = 0
    passed: bool = True


class Stage:
    """The cluster that the faults share."""

    def __init__(self, brokers: Cluster) -> None:
        self.brokers = brokers

    @contextmanager
    def scene(self) -> Generator["Scene"]:
        """A home on a log of its own. What it started ends with it."""
        with tempfile.TemporaryDirectory(prefix="flywheel-faults-") as folder:
            scene = Scene(self, Path(folder), f"kafka://{self.brokers.bootstrap}/fault-{uuid4().hex[:8]}")
            try:
                yield scene
            finally:
                scene.close()

    def mend(self) -> None:
        """Every broker up again, for the next fault."""
        for node in self.brokers.nodes:
            node.thaw()
            if node.running is None or node.running.poll() is not None:
                node.start()
        for node in self.brokers.nodes:
            node.wait()


class Scene:
    """One home, its log, the programs that work on them, and the account of what was accepted."""

    def __init__(self, stage: Stage, folder: Path, url: str) -> None:
        self.stage, self.folder, self.url = stage, folder, url
        self.home = Home.open(folder / "home")
        self.log: EventLog = open_log(url, self.home.path)
        self.accepted: set[str] = set()
        self.repeated: set[str] = set()
        """Ids that were sent again since nobody knew whether they had been taken: they may be in the log twice."""
        self._next = 0
        self._programs: list[Program] = []

    def name(self, topic: str) -> str:
        """What the brokers call a topic of ours."""
        return f"{self.url.rpartition('/')[2]}.{topic}"

    def write(self, count: int = 30) -> None:
        """`count` comments onto the log, tried until they are accepted."""
        events = [comment(number) for number in range(self._next, self._next + count)]
        self._next += count
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                publish(self.log, events)
                break
            except TransientError:
                self.repeated.update(event.id for event in events)
                if time.monotonic() > deadline:
                    raise
        self.accepted.update(event.id for event in events)

    @contextmanager
    def writing(self) -> Generator[None]:
        """Comments come all the time while the block lasts."""
        stop = threading.Event()
        faults: list[BaseException] = []

        def write() -> None:
            try:
                while not stop.wait(0.05):
                    self.write()
            except BaseException as error:
                faults.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()
        if faults:
            raise faults[0]

    def start(self, *arguments: str, log: str | None = None, **environment: str) -> "Program":
        """`flywheel ARGUMENTS` on this home and its log (at another door, if `log` says so), until the scene ends."""
        program = Program(
            [*arguments, "--home", str(self.home.path), "--log", log or self.url], self.folder, environment
        )
        self._programs.append(program)
        return program

    def landed(self) -> int:
        """Events of ours that are in the lake."""
        return len(self.ids() & self.accepted)

    def landed_in(self, *partitions: int) -> int:
        """Rows in the lake of these partitions."""
        return self._rows().filter(pl.col("log_partition").is_in(partitions)).height

    def texts(self) -> dict[str, str]:
        """What the comments in the lake say, by id."""
        return dict(lake(self.home).select("event_id", "text").iter_rows())

    def settle(self) -> None:
        """Until everything that was accepted has landed; three minutes are a loss."""
        with suppress(TimeoutError):
            wait_for(lambda: self.ids() >= self.accepted, every=0.3)

    def outcome(self, what: str, *, passed: bool = True) -> Outcome:
        """The account: an event is lost if it is not in the lake, and doubled if a position is there twice, or the
        event at two positions though it was sent once."""
        rows = self._rows()
        lost = len(self.accepted - self.ids())
        twice = rows.height - rows.select("log_partition", "log_offset").n_unique()
        once = rows.unique(["log_partition", "log_offset"]).filter(~pl.col("event_id").is_in(list(self.repeated)))
        twice += once.height - once["event_id"].n_unique()
        return Outcome(what, len(self.accepted), lost, twice, passed and not lost and not twice)

    def leader(self, topic: str, partition: int) -> Node:
        """The broker that leads a partition now."""
        with self.admin() as admin:
            (found,) = admin.describe_topics([self.name(topic)])
        return self.stage.brokers.node(
            next(at["leader_id"] for at in found["partitions"] if at["partition_index"] == partition)
        )

    @contextmanager
    def admin(self) -> Generator[Any]:
        """A client for what our log does not offer."""
        with kafka.KafkaAdminClient(bootstrap_servers=self.stage.brokers.bootstrap.split(",")) as admin:
            yield admin

    def close(self) -> None:
        """End the programs."""
        for program in self._programs:
            program.kill()
        self.log.close()

    def ids(self) -> set[str]:
        """Ids of the events in the lake."""
        return set(self._rows()["event_id"])

    def _rows(self) -> pl.DataFrame:
        if not any(self.home.lake.glob("feedback/[0-9]*/*.parquet")):
            return pl.DataFrame(schema={"event_id": pl.String, "log_partition": pl.Int32, "log_offset": pl.Int64})
        rows = lake(self.home).select("event_id", "log_partition", "log_offset")
        return rows.filter(pl.col("event_id").is_not_null())


class Program:
    """A process of the command line."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._output = folder / f"{uuid4().hex}.txt"
        with self._output.open("wb") as output:
            self._running = subprocess.Popen(
                [sys.executable, "-m", "flywheel", *arguments],
                cwd=ROOT,
                env={**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", **environment},
                stdout=output,
                stderr=output,
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._running.pid

    @property
    def said(self) -> str:
        """All that it printed."""
        return self._output.read_text(errors="replace")

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._running.poll() is None

    def wait(self, seconds: float = PATIENCE_S) -> int:
        """Its exit status, once it has ended."""
        return self._running.wait(seconds)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._running.send_signal(number)

    def kill(self) -> None:
        """kill -9."""
        if self.is_running():
            self._running.kill()
        self._running.wait()


def wait_for(condition: Callable[[], bool], seconds: float = PATIENCE_S, every: float = 0.1) -> None:
    """Until `condition` holds. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited for {seconds:.0f} s")
        time.sleep(every)
