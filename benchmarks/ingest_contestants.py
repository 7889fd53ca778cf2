"""Who `benchmarks.ingest` compares, each run in a process of its own: CONTESTANT SERVERS PREFIX FOLDER.

Prints one JSON object: events, broken, cpu_s (all threads and children, from after the imports to the end), rss_mb
(peak). All read the same topic from its beginning to its end.
"""

import os
import resource
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import msgspec

from benchmarks.ingest_input import TOPIC
from ingest.home import Home
from ingest.log import open_log
from ingest.sink import Sink

BATCH = 50_000
"""Rows a file, for all who write files."""


def flywheel(servers: str, prefix: str, folder: Path, scheme: str = "kafka") -> tuple[int, int]:
    """From Kafka to the lake, every event validated: `flywheel sink` in one go."""
    home = Home.open(folder)
    with open_log(f"{scheme}://{servers}/{prefix}", home.path) as log:
        landed = Sink(log, home).drain()
    return landed.rows, landed.errors


def fast(servers: str, prefix: str, folder: Path) -> tuple[int, int]:
    """The same with the extra `[fast]`."""
    return flywheel(servers, prefix, folder, "kafka+fast")


def poll(servers: str, prefix: str, folder: Path) -> tuple[int, int]:
    """kafka-python alone: poll, and throw away."""
    from ingest.log.kafka_client import connect_consumer, kafka  # noqa: PLC0415  (not for the others)

    consumer: Any = connect_consumer(servers.split(","))
    partitions = [kafka.TopicPartition(f"{prefix}.{TOPIC}", number) for number in range(3)]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    left = sum(consumer.end_offsets(partitions).values())
    events = 0
    while events < left:
        events += sum(len(records) for records in consumer.poll(timeout_ms=100, max_records=10_000).values())
    consumer.close(autocommit=False)
    return events, 0


def consumed(servers: str, prefix: str) -> Iterator[list[bytes]]:
    """The values of all records by confluent-kafka, in batches."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition  # noqa: PLC0415

    consumer = Consumer({"bootstrap.servers": servers, "group.id": "benchmark", "enable.auto.commit": False})
    partitions = [TopicPartition(f"{prefix}.{TOPIC}", number, OFFSET_BEGINNING) for number in range(3)]
    left = sum(consumer.get_watermark_offsets(partition, timeout=10)[1] for partition in partitions)
    consumer.assign(partitions)
    while left > 0:
        messages = consumer.consume(min(10_000, left), timeout=1.0)
        left -= len(messages)
        yield [cast(bytes, message.value()) for message in messages]
    consumer.close()


def dlt(servers: str, prefix: str, folder: Path) -> tuple[int, int]:
    """dlt into DuckDB, by Parquet files, which is its fastest way. It infers types and validates nothing."""
    import dlt as library  # noqa: PLC0415
    import orjson  # noqa: PLC0415

    counts = [0, 0]

    def events() -> Iterator[list[dict[str, Any]]]:
        for values in consumed(servers, prefix):
            rows: list[dict[str, Any]] = []
            for value in values:
                try:
                    rows.append(orjson.loads(value))
                except orjson.JSONDecodeError:
                    counts[1] += 1
            counts[0] += len(values)
            yield rows

    pipeline: Any = library.pipeline(
        "benchmark",
        pipelines_dir=str(folder / "dlt"),
        destination=library.destinations.duckdb(str(folder / "dlt.duckdb")),
        dataset_name="lake",
    )
    pipeline.run(events(), table_name=TOPIC, loader_file_format="parquet").raise_on_failed_jobs()
    with pipeline.sql_client() as client:
        ((found,),) = client.execute_sql(f"select count(*) from {TOPIC}")
    if found != counts[0] - counts[1]:
        raise SystemExit(f"dlt loaded {found:,} rows of {counts[0] - counts[1]:,}")
    return counts[0], counts[1]


def limit(servers: str, prefix: str, folder: Path) -> tuple[int, int]:
    """As little as can be: confluent-kafka, msgspec into the same types, pyarrow. No hash, no canonical form, no
    headers, no second look at what fails, one file for each type."""
    from benchmarks.ingest_limit import write  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    events = bad = files = 0
    held: list[bytes] = []
    for values in consumed(servers, prefix):
        events += len(values)
        held += values
        if len(held) >= BATCH:
            bad, files, held = bad + write(held, folder, files), files + 1, []
    return events, bad + write(held, folder, files)


CONTESTANTS: dict[str, Callable[[str, str, Path], tuple[int, int]]] = {
    "flywheel": flywheel,
    "fast": fast,
    "dlt": dlt,
    "poll": poll,
    "limit": limit,
}


IMPORTS = {
    "flywheel": ("ingest.log.kafka",),
    "fast": ("ingest.log.kafka", "ingest.log.fast"),
    "dlt": ("dlt", "dlt.destinations", "orjson", "confluent_kafka"),
    "poll": ("ingest.log.kafka",),
    "limit": ("benchmarks.ingest_limit", "confluent_kafka"),
}
"""What a contestant imports late, which is no part of what it is measured by."""


def main(name: str, servers: str, prefix: str, folder: str) -> None:
    """Run one contestant."""
    for module in IMPORTS[name]:
        import_module(module)
    before = os.times()
    events, bad = CONTESTANTS[name](servers, prefix, Path(folder))
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(msgspec.json.encode({"events": events, "broken": bad, "cpu_s": spent, "rss_mb": rss_mb}).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
