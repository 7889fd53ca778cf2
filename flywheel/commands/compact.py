"""`flywheel compact`: the lake's small segments into few large files."""

import time

import click

from flywheel.place import existing_home, placed
from flywheel.ranges import Between
from flywheel.watch import patiently


@click.command()
@placed
@click.option("--watch", is_flag=True, help="Go on until stopped.")
@click.option("--every", type=Between(min=0.1), default=60.0, show_default=True, help="--watch: seconds between.")
@click.option(
    "--segments",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    help="A partition is left alone until it has more small segments than this.",
)
@click.option(
    "--grace",
    type=Between(min=0),
    default=600.0,
    show_default=True,
    help="Seconds that merged segments stay for whoever still reads them.",
)
def compact(watch: bool, every: float, segments: int, grace: float) -> None:
    """Merge the lake's small segments into large files, with sinks, builds and readers running.

    What was merged is removed by a later run, once a build that reads the new files has been out for the time of grace.

    \b
    Examples:
      flywheel compact
      flywheel compact --watch
    """
    from ingest.lake.compaction import CompactionPolicy
    from ingest.lake.compaction import compact as run

    home = existing_home()

    def once() -> None:
        done = run(home, CompactionPolicy(segments=segments, grace_s=grace))
        if any(done) or not watch:
            click.echo(f"merged {done.merged} segments into {done.into} files, removed {done.removed} that were merged")

    patiently(once, watch=watch)
    while watch:
        time.sleep(every)
        patiently(once, watch=watch)
