"""How long `make demo` takes, by stage. No peer: nobody else closes this loop in one command.

    python -m benchmarks.demo [--quick] [--json FILE]

The sample is small enough that `--quick` measures the same.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

from flywheel.demo.run import run
from ingest.home import Home
from ingest.log import open_log


def main() -> None:
    """Run the demo in a new home and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="the same: the sample is small")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder) / "home")
        before = os.times()
        with open_log(None, home.path) as log:
            outcome = run(home, log, None)
        after = os.times()
    cpu = after.user + after.system - before.user - before.system
    rows = [*outcome.seconds.items(), ("all", sum(outcome.seconds.values()))]
    print(f"\n{'stage':10} {'wall s':>8}")
    for stage, seconds in rows:
        print(f"{stage:10} {seconds:8.1f}")
    print(f"{'CPU s':10} {cpu:8.1f}   on {os.cpu_count()} cores")
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"wall_s": dict(rows), "cpu_s": cpu, "turns": outcome.turns}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
