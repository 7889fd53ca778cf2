"""kill -9 of sink, builder, discoverer, publisher and both workers, 20 times: nothing is lost, nothing is doubled.

The killed home must end with the marts of the home in which nobody was killed. Points are random, with a seed that is
said on failure.
"""

import random
import subprocess
import time
from pathlib import Path

from flywheel.sample import feed
from ingest.log import open_log
from tests.e2e.command import flywheel, start
from tests.e2e.marts import count, differences, dump

KILLS = 20
KILLS_A_STEP = 2
"""A job has three attempts, and a killed worker has used one."""
STEPS: tuple[tuple[str, ...], ...] = (
    ("sink", "--once"),
    ("build",),
    ("modes", "discover"),
    ("sink", "--once"),
    ("build",),
    ("specs", "publish", "--lease", "5"),
    ("training", "serve", "--once"),
    ("sink", "--once"),
    ("build",),
    ("specs", "publish", "--lease", "5"),
    ("evals", "serve", "--once"),
)
"""One turn of the loop."""


def killed(arguments: tuple[str, ...], home: Path, after: float) -> bool:
    """Start a command and kill it `after` seconds; False if it had ended by then."""
    process = start(*arguments, home=home)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    assert process.returncode == 0, arguments
    return False


def test_twenty_kills_at_random_points_change_nothing(demo_home: Path, tmp_path: Path):
    seed = time.time_ns()
    dice = random.Random(seed)
    home = tmp_path / "home"
    with open_log(None, home) as log:
        feed(log)
    kills = 0
    for _ in range(5):
        for step in STEPS:
            for _ in range(KILLS_A_STEP if kills < KILLS else 0):
                kills += killed(step, home, dice.uniform(0.3, 4.0))
            flywheel(*step, home=home)
        if kills >= KILLS and settled(home):
            break
    assert kills >= KILLS, f"only {kills} kills (seed {seed})"
    names = tuple(name for name in dump(home) if name.startswith(("fct_", "dim_", "sync_")))
    left, right = dump(demo_home, portable=True, only=names), dump(home, portable=True, only=names)
    assert differences(left, right) == {}, f"seed {seed}"


def settled(home: Path) -> bool:
    """Whether nothing is left to do after the newest results have been built."""
    flywheel("sink", "--once", home=home)
    flywheel("build", home=home)
    done = "0 specs issued, 0 jobs queued" in flywheel("specs", "publish", "--lease", "5", home=home)
    return done and count(home, "select count(*) from fct_jobs where status <> 'completed'") == 0
