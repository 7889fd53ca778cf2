"""`flywheel build`: the lake into a new generation of the warehouse."""

import time

import click

from flywheel.place import open_home, placed
from flywheel.progress import bar
from flywheel.watch import patiently


@click.command()
@placed
@click.option("--watch", is_flag=True, help="Build again whenever something has landed, until stopped.")
@click.option("--full-refresh", is_flag=True, help="Build cold, from nothing but the lake.")
@click.option(
    "--every", type=click.FloatRange(min=0.1), default=5.0, show_default=True, help="--watch: seconds between."
)
def build(watch: bool, full_refresh: bool, every: float) -> None:
    """Build the warehouse from the lake and publish it. Readers see the old generation or the new, never a lock.

    \b
    Examples:
      flywheel build
      flywheel build --watch
    """
    from transforms.build import build as run

    home = open_home()

    def once() -> None:
        with bar("build") as show:
            built = run(home, show, full_refresh=full_refresh)
        if built.changed or not watch:
            state = "published" if built.changed else "nothing new; still"
            click.echo(f"{state} build {built.number} ({built.seconds:.1f} s): {home.warehouse}")

    patiently(once, watch=watch)
    while watch:
        time.sleep(every)
        patiently(once, watch=watch)
