"""`flywheel build`: the lake into a new generation of the warehouse."""

import os
import time
from functools import partial

import click

from flywheel.place import open_home, placed
from flywheel.progress import bar
from flywheel.ranges import Between
from flywheel.watch import patiently

COURTESY = 10
"""How much a build loop gives way to others, to the sink above all (nice)."""
BACKFILL_ROWS = 100_000
"""Of a backfill in one build of the loop: a few seconds' work."""


@click.command()
@placed
@click.option("--watch", is_flag=True, help="Build again whenever something has landed, until stopped.")
@click.option("--full-refresh", is_flag=True, help="Build cold, from nothing but the lake.")
@click.option("--every", type=Between(min=0.1), default=5.0, show_default=True, help="--watch: seconds between.")
@click.option(
    "--test-every",
    type=Between(min=0),
    default=600.0,
    show_default=True,
    help="--watch: seconds between builds whose data tests are run.",
)
@click.option("--keep", type=click.IntRange(min=1), default=5, show_default=True, help="Builds that stay on disk.")
def build(watch: bool, full_refresh: bool, every: float, test_every: float, keep: int) -> None:
    """Build the warehouse from the lake and publish it. Readers see the old generation or the new, never a lock.

    With --watch it gives way to the sink. It doesn't wait for texts to be embedded, which it does between builds: modes
    come later than all else. The first build runs the data tests, then one each --test-every seconds; a build without
    them says so (flywheel status).

    \b
    Examples:
      flywheel build
      flywheel build --watch
    """
    from transforms.build import BuildPolicy
    from transforms.build import build as run
    from transforms.waiting import embed_waiting

    home = open_home()

    def once(policy: BuildPolicy, full_refresh: bool) -> None:
        with bar("build") as show:
            built = run(home, show, full_refresh=full_refresh, policy=policy)
        if built.changed or not watch:
            state = "published" if built.changed else "nothing new; still"
            untested = "" if policy.tested or not built.changed else ", data tests not run"
            click.echo(f"{state} build {built.number} ({built.seconds:.1f} s{untested}): {home.warehouse}")

    def embed() -> None:
        embed_waiting(home, every)

    if not watch:
        once(BuildPolicy(keep=keep), full_refresh)
        return
    os.nice(COURTESY)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # before torch: its threads must not spin for work
    test_at = 0.0
    while True:
        began = time.monotonic()
        tested = began >= test_at
        patiently(partial(once, BuildPolicy(keep, tested, BACKFILL_ROWS, embed=False), full_refresh), watch=True)
        test_at = began + test_every if tested else test_at
        full_refresh = False
        pause_ends = time.monotonic() + every
        if home.warehouse.exists():
            patiently(embed, watch=True)
        time.sleep(max(0.0, pause_ends - time.monotonic()))
