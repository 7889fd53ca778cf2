"""`flywheel sink`: the log into the lake."""

import signal
import threading
from types import FrameType

import click

from flywheel.place import log_address, open_event_log, open_home, placed
from flywheel.ranges import Between
from ingest.home import Home
from ingest.log.kafka_security import security
from ingest.log.open import kafka_address
from ingest.sink import FlushPolicy, Sink
from ingest.sink.sharing import ByGroup, ByPresence, Everything, Share
from models.topics import LOG_TOPICS


@click.command()
@placed
@click.option("--once", is_flag=True, help="Land what is there and end.")
@click.option("--share", is_flag=True, help="Divide the partitions with the other sinks of this home that share.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=FlushPolicy().rows,
    show_default=True,
    help="A partition lands once so many records are held,",
)
@click.option(
    "--megabytes",
    type=Between(min=0.1),
    default=FlushPolicy().bytes / 1024**2,
    show_default=True,
    help="or so many MiB of them,",
)
@click.option(
    "--seconds",
    type=Between(min=0),
    default=FlushPolicy().seconds,
    show_default=True,
    help="or the oldest for so long. Sooner means more segments: see flywheel compact.",
)
def sink(once: bool, share: bool, rows: int, megabytes: float, seconds: float) -> None:
    """Land the log in the lake as Parquet segments, each event exactly once.

    Any number of sinks may run on one home. With --share each takes a part of the partitions (on Kafka as a consumer
    group divides them), and the others take over within seconds what one that died has left.

    \b
    Examples:
      flywheel sink --once
      flywheel sink --log kafka://localhost:9092      goes on until it is stopped
      flywheel sink --share & flywheel sink --share
    """
    if once and share:
        raise click.UsageError("--once lands everything, so there is nothing to --share")
    home = open_home()
    with open_event_log(home) as log:
        part = _part(home) if share else Everything()
        landing = Sink(log, home, FlushPolicy(rows, int(megabytes * 1024**2), seconds), share=part)
        if once:
            landed = landing.drain()
        else:
            stop = threading.Event()

            def end(number: int, frame: FrameType | None) -> None:
                stop.set()

            signal.signal(signal.SIGTERM, end)
            signal.signal(signal.SIGINT, end)
            try:
                landed = landing.run(stop)
            finally:
                part.close()
    click.echo(f"landed {landed.rows} records in {landed.segments} segments, {landed.errors} of them in quarantine")


def _part(home: Home) -> Share:
    """A share of the home's partitions. Homes on one log are not mixed: the group has the home's id in its name."""
    url = log_address()
    if url is None:
        return ByPresence(home)
    # Here, since the client takes 0.3 s to load.
    from ingest.log.kafka_group import KafkaGroup

    servers, prefix = kafka_address(url)
    group = f"sink-{home.facts()['home_id']}"
    return ByGroup(KafkaGroup(servers, prefix, group, list(LOG_TOPICS), security=security()))
