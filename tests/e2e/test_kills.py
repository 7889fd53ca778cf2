"""kill -9 of sink, rules, builder, discoverer, publisher and both workers, 20 times: nothing is lost or doubled.

The killed home must end with the marts of the home in which nobody was killed. Points are random, with a seed that is
said on failure.
"""

import multiprocessing
import random
import time
from pathlib import Path

import pytest

from flywheel.sample import feed
from ingest.log import open_log
from tests.e2e.marts import count, differences, portable
from tests.e2e.stages import stage

KILLS = 20
KILLS_A_STAGE = 2
"""A job has three attempts, and a killed worker has used one."""
STAGES = {"sink": 0.4, "reports": 0.4, "build": 6.0, "discover": 3.0, "publish": 0.8, "train": 5.0, "evaluate": 3.0}
"""Seconds within which a stage is killed at first; one that ends before is given less the next time."""
FILED = ("sink", "reports", "sink", "build")
TURN = (*FILED, "discover", *FILED, "publish", "train", *FILED, "publish", "evaluate")
MOST_TURNS = 20


@pytest.mark.timeout(1200)  # some hundred processes; on a busy machine they take minutes
def test_twenty_kills_at_random_points_change_nothing(demo_home: Path, tmp_path: Path):
    seed = time.time_ns()
    dice = random.Random(seed)
    home = tmp_path / "home"
    with open_log(None, home) as log:
        feed(log)
    kills = 0
    within = dict(STAGES)
    for _ in range(MOST_TURNS):
        for name in TURN:
            for _ in range(KILLS_A_STAGE if kills < KILLS else 0):
                after = dice.uniform(0.02, within[name])
                if ended(name, home, after) == -9:
                    kills += 1
                else:
                    within[name] = after
            assert ended(name, home) == 0, f"{name} after {kills} kills (seed {seed})"
        if kills >= KILLS and settled(home):
            break
    assert kills >= KILLS, f"only {kills} kills (seed {seed})"
    assert differences(portable(demo_home), portable(home)) == {}, f"seed {seed}"


def ended(name: str, home: Path, after: float | None = None) -> int | None:
    """The exit status of a stage in a process of its own; -9 if it had to be killed, `after` seconds from its start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([stage.__module__])
    process = context.Process(target=stage, args=(name, home))
    process.start()
    process.join(after)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode


def settled(home: Path) -> bool:
    """Whether nothing is left to do once the newest results have been built."""
    assert [ended(name, home) for name in ("sink", "build", "publish")] == [0, 0, 0]
    specs = "select count(*) from fct_specs"
    before = count(home, specs)
    assert [ended(name, home) for name in ("sink", "build")] == [0, 0]
    return (
        count(home, specs) == before and count(home, "select count(*) from fct_jobs where status <> 'completed'") == 0
    )
