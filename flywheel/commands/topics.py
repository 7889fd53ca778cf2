"""`flywheel topics`: the topics of the contract on a Kafka cluster, set up as they should be."""

import sys

import click
from rich.table import Table

from flywheel.place import log_address, placed
from flywheel.tables import show
from ingest.log.kafka_security import security
from ingest.log.open import kafka_address
from models.topics import DEAD_LETTER_SUFFIX, LOG_TOPICS, TOPICS

SHORTEN = click.option(
    "--shorten-retention", is_flag=True, help="Let Kafka drop what is older than the contract keeps: the lake has it."
)


@click.group()
@placed
def topics() -> None:
    """The topics on Kafka: partitions, replicas, retention, clock.

    \b
    Example:
      flywheel topics diff --log kafka://localhost:9092
    """


@topics.command()
@placed
@SHORTEN
def diff(shorten_retention: bool) -> None:
    """Show what differs from the contract; exit status 1 if anything does. Changes nothing.

    \b
    Example:
      flywheel topics diff --log kafka://localhost:9092
    """
    _apply(shorten_retention, dry_run=True)


@topics.command()
@placed
@click.option("--dry-run", is_flag=True, help="Only show what would change, like `diff`.")
@SHORTEN
def apply(dry_run: bool, shorten_retention: bool) -> None:
    """Create the topics that are not there and mend settings; exit status 1 if a difference is left.

    What can't be changed without losing events or their order is left as it is, with the reason.

    \b
    Examples:
      flywheel topics apply --log kafka://localhost:9092/demo
      flywheel topics apply --dry-run                           for CI: 1 if anything differs
    """
    _apply(shorten_retention, dry_run=dry_run)


def _apply(shorten_retention: bool, *, dry_run: bool) -> None:
    url = log_address()
    if url is None:
        click.echo("The embedded log keeps everything and has nothing to set; --log kafka://host:port names a cluster.")
        return
    # Here, since the client takes 0.3 s to load.
    from ingest.log.kafka_topics import KafkaTopics

    table = Table("topic", "setting", "is", "wanted", "then")
    left = 0
    with KafkaTopics(*kafka_address(url), security()) as cluster:
        for topic in [*LOG_TOPICS, *(name + DEAD_LETTER_SUFFIX for name in TOPICS)]:
            differing = cluster.differences(topic, may_shorten=shorten_retention)
            if not dry_run:
                cluster.mend(topic, differing)
            for difference in differing:
                name, setting, found, wanted, refusal = difference
                then = f"left: {refusal}" if refusal else "would be changed" if dry_run else "changed"
                table.add_row(cluster.name(name), setting, found, wanted, then)
                left += dry_run or bool(refusal)
    if not table.row_count:
        click.echo("all topics are as the contract wants them")
        return
    show(table)
    click.echo(f"{table.row_count} differences, {left} left")
    if left:
        sys.exit(1)
