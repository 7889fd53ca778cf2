"""`flywheel serve`: the collector, events over HTTP."""

import logging
import sys

import click

from flywheel.place import open_event_log, open_home, placed
from flywheel.ranges import Between
from ingest.collector.settings import Settings

DEFAULTS = Settings()


@click.command()
@placed
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 is every interface.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8080,
    show_default=True,
    help="0 takes any that is free, and says which.",
)
@click.option("--open", "keyless", is_flag=True, help="Ask for no keys. Serves this machine only.")
@click.option(
    "--rate", type=Between(min=0), default=DEFAULTS.rate, metavar="N", help="Events a second and key; 0: no limit."
)
@click.option(
    "--body-mb",
    type=Between(0.001, DEFAULTS.held_bytes / 1e6),
    default=DEFAULTS.body_bytes / 1e6,
    metavar="N",
    show_default=True,
    help="Largest body.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=DEFAULTS.batch_events,
    metavar="N",
    show_default=True,
    help="Most events a request.",
)
@click.option("--access-log/--no-access-log", default=True, help="A line a request on stderr, without bodies.")
def serve(*, host: str, port: int, keyless: bool, rate: float, body_mb: float, batch: int, access_log: bool) -> None:
    """Take events over HTTP, and answer once the log has acknowledged them. docs/collector.md is the contract.

    \b
    Examples:
      flywheel serve --open                          for this machine, without keys
      flywheel keys create --name web && flywheel serve --host 0.0.0.0
      flywheel serve --log kafka://localhost:9092
    """
    from ingest.collector.keys import read
    from ingest.collector.server import serve as serve_until_stopped

    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger("flywheel.collector").setLevel(logging.INFO)
    settings = DEFAULTS._replace(rate=rate, body_bytes=int(body_mb * 1e6), batch_events=batch, access_log=access_log)
    home = open_home(feeds=True)
    with open_event_log(home) as log:
        if keyless:
            click.echo("open: no key is asked for, and only this machine is served", err=True)
        elif not any(key.revoked_at is None for key in read(home)):
            click.echo("there is no key yet, so that nobody gets in: flywheel keys create --name NAME", err=True)
        serve_until_stopped(
            home,
            log,
            settings,
            host=host,
            port=port,
            keyless=keyless,
            listening=lambda address: click.echo(f"listening on {address}"),
        )
