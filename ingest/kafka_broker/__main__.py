"""`make kafka`: a broker in the foreground. Ctrl-C stops it and removes its files."""

import signal
import sys
from typing import NoReturn

import click

from ingest.kafka_broker import KAFKA_VERSION
from ingest.kafka_broker.broker import broker
from models.errors import FlywheelError


@click.command()
@click.option("--port", default=9092, show_default=True, help="Port on 127.0.0.1; 0 takes any that is free.")
@click.option("--until-stdin-closes", is_flag=True, help="Stop when standard input ends, that is with who started it.")
def main(port: int, until_stdin_closes: bool) -> None:
    """Run one Apache Kafka broker and print its address, then how to use it."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell starts background jobs with SIGINT ignored
        signal.signal(number, _stop)
    try:
        with broker(port) as address:
            click.echo(address)
            click.echo(
                f"Kafka {KAFKA_VERSION} runs. Use it with --log kafka://{address}/demo; Ctrl-C ends it.", err=True
            )
            if until_stdin_closes:
                sys.stdin.buffer.read()
            else:
                signal.pause()
    except KeyboardInterrupt:
        click.echo("Kafka stopped; its files are removed.", err=True)
    except FlywheelError as error:
        click.echo(str(error), err=True)
        sys.exit(1)


def _stop(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
