"""`flywheel dashboards`: the pages, over HTTP."""

import logging
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from flywheel.place import existing_home, home_path, open_event_log, placed
from models.errors import FlywheelError


@click.command()
@placed
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 is every interface.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8090,
    show_default=True,
    help="0 takes any that is free, and says which.",
)
@click.option("--sign-in", is_flag=True, help="Ask for a key on this machine, too. Other hosts always do.")
@click.option(
    "--token-file",
    envvar="FLYWHEEL_DASHBOARD_TOKENS",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Keys, as flywheel keys keeps them (hashed); default: those of the home. Also FLYWHEEL_DASHBOARD_TOKENS.",
)
@click.option("--trust-header", metavar="NAME", help="Header in which a proxy says who has signed in with it.")
@click.option("--groups-header", default="X-Forwarded-Groups", show_default=True, metavar="NAME", help="Their groups.")
@click.option("--reader-group", "reader_groups", multiple=True, metavar="GROUP", help="May read comments. Repeatable.")
@click.option(
    "--proxy", "networks", multiple=True, metavar="CIDR", help="Where the proxy is. Repeatable. Default: this machine."
)
def dashboards(
    *,
    host: str,
    port: int,
    sign_in: bool,
    token_file: Path | None,
    trust_header: str | None,
    groups_header: str,
    reader_groups: tuple[str, ...],
    networks: tuple[str, ...],
) -> None:
    """Web pages on the published warehouse: the loop, experiments, failure modes, checkpoints, jobs, feedback.

    They only read. Whoever signs in by a key with the scope viewer sees numbers, with reader also what people wrote.

    \b
    Examples:
      flywheel dashboards                            for this machine, without sign-in
      flywheel keys create --name lead --scope reader && flywheel dashboards --host 0.0.0.0
      flywheel dashboards --host 0.0.0.0 --trust-header X-Forwarded-Email --reader-group research --proxy 10.0.0.0/8
    """
    from dashboards.access import HERE, Proxy
    from dashboards.server import door_for, serve

    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    path = home_path()
    proxy = None
    if trust_header:
        proxy = Proxy(trust_header, groups_header, frozenset(reader_groups), networks or HERE)
    door = door_for(path, host, keys=token_file, sign_in=sign_in, proxy=proxy)
    with ExitStack() as stack:
        log = None
        try:
            log = stack.enter_context(open_event_log(existing_home(), looking=True))
        except FlywheelError as error:
            # The published file may be all that this machine can reach.
            click.echo(f"the log is not looked at: {error}", err=True)
        serve(path, log, door, host=host, port=port, listening=lambda address: click.echo(f"listening on {address}"))
