"""`flywheel sink`: the log into the lake."""

import signal
import threading
from types import FrameType

import click

from flywheel.place import open_event_log, open_home, placed
from ingest.sink import Sink


@click.command()
@placed
@click.option("--once", is_flag=True, help="Land what is there and end.")
def sink(once: bool) -> None:
    """Land the log in the lake as Parquet segments, each event exactly once.

    \b
    Examples:
      flywheel sink --once
      flywheel sink --log kafka://localhost:9092      goes on until it is stopped
    """
    home = open_home()
    with open_event_log(home) as log:
        landing = Sink(log, home)
        if once:
            landed = landing.drain()
        else:
            stop = threading.Event()

            def end(number: int, frame: FrameType | None) -> None:
                stop.set()

            signal.signal(signal.SIGTERM, end)
            signal.signal(signal.SIGINT, end)
            landed = landing.run(stop)
    click.echo(f"landed {landed.rows} records in {landed.segments} segments, {landed.errors} of them in quarantine")
