"""The stages as functions of a home, each to run in a process of its own that is forked with everything imported.

A kill then falls into the stage's work, not into seconds of imports.
"""

from pathlib import Path

from flywheel.loop import evaluate, publish_specs, train
from ingest.home import Home
from ingest.log import open_log
from ingest.reports.run import run as run_rules
from ingest.sink import Sink
from training.methods import judge
from transforms.build import build
from transforms.taxonomy.discover import discover_modes

LEASE_S = 3.0
PRELOADED = (judge,)
"""torch comes with it."""


def stage(name: str, path: Path) -> None:
    """Run one stage as its command would with `--once`."""
    home = Home.open(path)
    if name == "build":
        build(home)
        return
    with open_log(None, path) as log:
        match name:
            case "sink":
                Sink(log, home).drain()
            case "reports":
                run_rules(home, log)
            case "discover":
                discover_modes(home, log)
            case "publish":
                publish_specs(home, log, lease_s=LEASE_S)
            case "train":
                train(home, log, lambda news: None, once=True)
            case "evaluate":
                evaluate(home, log, lambda news: None, once=True)
            case _:
                raise ValueError(name)
