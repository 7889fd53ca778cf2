"""The collector's throughput and latency, beside a bare Litestar endpoint that does nothing but produce to Kafka.

    python -m benchmarks.collector [--quick] [--json FILE]

Both run on the same real broker, each as a program of its own under uvicorn, with the same producer, and take the same
requests over the same kept connections, in turns. The bare one splits a batch into messages and waits for their
acknowledgement: no key, no check, no ids. Everything runs on this machine's loopback interface and shares its cores.
Left out: TLS, and senders that open a connection for each request.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple
from uuid import uuid4

from ingest.log import open_log, replay

ROOT = Path(__file__).parents[1]
BATCHES = (1, 100)
CONNECTIONS = {1: 64, 100: 16}
"""By batch: enough that the server always has work. Each sends its next request once the last is answered."""
LINGER_MS = {1: 5, 100: 20}
"""Of the bare endpoint, by batch: of 0, 5 and 20 the one with the highest median of four rounds. The rounds were on a
machine with a load of 17, and their ranges overlap."""
MEDIA_TYPES = {1: "application/cloudevents+json", 100: "application/cloudevents-batch+json"}


class Server(NamedTuple):
    """A server that runs."""

    address: str
    pid: int


class Measured(NamedTuple):
    """One run against one server."""

    events_per_s: float
    p99_ms: float
    accepted: list[str]
    """Ids that were answered as accepted."""
    failed: int
    """Requests with another answer."""
    cpu_us: float
    """CPU of the server, all its threads, in microseconds an event: what a busy machine distorts least."""


def main() -> None:
    """Measure in turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="one short round")
    arguments = parser.parse_args()
    rounds, seconds = (1, 2.0) if arguments.quick else (3, 6.0)
    with ExitStack() as stack:
        broker = stack.enter_context(_kafka())
        prefix = f"bench-{uuid4().hex[:8]}"
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"kafka://{broker}/{prefix}"
        collector = stack.enter_context(_served(_collector_command(home, url)))
        peers = {
            batch: stack.enter_context(_served(_bare_command(broker, f"{prefix}.bare{batch}", LINGER_MS[batch])))
            for batch in BATCHES
        }
        accepted: list[str] = []
        figures: dict[str, float] = {}
        for batch in BATCHES:
            bare = peers[batch]
            ours: list[Measured] = []
            theirs: list[Measured] = []
            asyncio.run(_load(collector, batch, 0.5, accepted))
            asyncio.run(_load(bare, batch, 0.5, []))
            for _ in range(rounds):
                ours.append(asyncio.run(_load(collector, batch, seconds, accepted)))
                theirs.append(asyncio.run(_load(bare, batch, seconds, [])))
            for name, runs in (("", ours), ("bare_", theirs)):
                figures[f"{name}throughput_{batch}"] = round(statistics.median(run.events_per_s for run in runs), 1)
                figures[f"{name}p99_ms_{batch}"] = round(statistics.median(run.p99_ms for run in runs), 2)
                figures[f"{name}cpu_us_{batch}"] = round(statistics.median(run.cpu_us for run in runs), 1)
                figures[f"{name}failed_{batch}"] = sum(run.failed for run in runs)
            figures[f"ratio_throughput_{batch}"] = round(
                figures[f"throughput_{batch}"] / figures[f"bare_throughput_{batch}"], 3
            )
        figures["accepted"] = len(accepted)
        figures["lost"] = _lost(url, home, accepted)
    _show(figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _show(figures: dict[str, float]) -> None:
    print(
        f"{'batch':>6} {'events/s':>10} {'bare':>10} {'ratio':>6} {'p99 ms':>8} {'bare':>8} {'CPU us':>8} {'bare':>6}"
    )
    for batch in BATCHES:
        print(
            f"{batch:6} {figures[f'throughput_{batch}']:10,.0f} {figures[f'bare_throughput_{batch}']:10,.0f} "
            f"{figures[f'ratio_throughput_{batch}']:6.2f} {figures[f'p99_ms_{batch}']:8.1f} "
            f"{figures[f'bare_p99_ms_{batch}']:8.1f} {figures[f'cpu_us_{batch}']:8.1f} "
            f"{figures[f'bare_cpu_us_{batch}']:6.1f}"
        )
    connections = " and ".join(map(str, CONNECTIONS.values()))
    print(f"{figures['accepted']:,.0f} accepted, {figures['lost']:.0f} lost; {connections} connections")


def _lost(url: str, home: Path, accepted: list[str]) -> int:
    """How many accepted ids are not in the log."""
    with open_log(url, home) as log:
        there = {json.loads(record.value)["id"] for record in replay(log, "feedback")}
    return len(set(accepted) - there)


async def _load(server: Server, batch: int, seconds: float, accepted: list[str]) -> Measured:
    """As many requests as `CONNECTIONS[batch]` connections get answered in `seconds`."""
    host, _, port = server.address.removeprefix("http://").partition(":")
    run = uuid4().hex[:12]
    latencies: list[float] = []
    failed = 0
    ids: list[str] = []
    began, cpu = perf_counter(), _cpu_seconds(server.pid)
    end = began + seconds

    async def sender(number: int) -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection(host, int(port))
        count = 0
        while perf_counter() < end:
            names = [f"{run}-{number}-{count + place}" for place in range(batch)]
            count += batch
            request = _request(names, batch)
            sent = perf_counter()
            writer.write(request)
            status, body = await _answer(reader)
            latencies.append(perf_counter() - sent)
            if status != 202 or b'"refused":0' not in body:
                failed += 1
            else:
                ids.extend(names)
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(sender(number) for number in range(CONNECTIONS[batch])))
    took, cpu = perf_counter() - began, _cpu_seconds(server.pid) - cpu
    accepted.extend(ids)
    p99 = sorted(latencies)[int(len(latencies) * 0.99)] * 1_000
    return Measured(len(ids) / took, p99, ids, failed, cpu / max(1, len(ids)) * 1e6)


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _request(names: list[str], batch: int) -> bytes:
    events = [
        f'{{"specversion":"1.0","id":"{name}","source":"shop","type":"feedback.thumb_given.v2",'
        f'"time":"2026-11-02T15:30:00Z","data":{{"target":{{"kind":"response","id":"r-{name[-5:]}"}},'
        f'"author":{{"kind":"human","id":"u-{name[-4:]}"}},"thumb":"down","metric":"thumb"}}}}'
        for name in names
    ]
    body = (events[0] if batch == 1 else f"[{','.join(events)}]").encode()
    head = (
        f"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {MEDIA_TYPES[batch]}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return int(head[9:12]), await reader.readexactly(length)


def _collector_command(home: Path, url: str) -> list[str]:
    return [
        *(sys.executable, "-m", "flywheel", "serve", "--open", "--no-access-log", "--port", "0"),
        *("--home", str(home), "--log", url),
    ]


def _bare_command(broker: str, topic: str, linger_ms: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.bare_endpoint", broker, topic, str(linger_ms)]


@contextmanager
def _kafka() -> Generator[str]:
    """`host:port` of a broker: the one that `KAFKA_BOOTSTRAP_SERVERS` names, else one of our own."""
    if given := os.environ.get("KAFKA_BOOTSTRAP_SERVERS"):
        yield given
        return
    command = [sys.executable, "-m", "ingest.kafka_broker", "--port", "0", "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin and running.stdout
        address = running.stdout.readline().strip()
        if not address:
            sys.exit("no Kafka: see above")
        try:
            yield address
        finally:
            running.stdin.close()
            running.wait()


@contextmanager
def _served(command: list[str]) -> Generator[Server]:
    """The server that `command` starts, once it listens."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout
        line = running.stdout.readline()
        try:
            if not line:
                sys.exit(f"{' '.join(command[:6])} did not start: see above")
            yield Server(line.split()[-1], running.pid)
        finally:
            running.terminate()
            running.wait()


if __name__ == "__main__":
    main()
