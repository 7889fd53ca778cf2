"""How often a verdict is wrong that is looked for daily, and what it costs to be right: ours beside five other rules.

    python -m benchmarks.experiments [--quick] [--full] [--json FILE]

8,000 A/A and 8,000 A/B experiments of each kind in `benchmarks.experiments_simulated` (400 each with --quick), 28 daily
looks, every rule of `benchmarks.experiments_rules` on the same ones.

fpr            A/A experiments in which our rule calls a winner; `_low` is the lower end of its 99% interval
power          A/B experiments in which it does; `power_ratio` is that over what the one fixed look finds
..._ratio_metric, ..._returning    the same of those kinds (`power_ratio_metric` is a power); without, of `once`
fixed_, naive_, bayes_, msprt_, gbstats_    the same of the other rules, of the same experiments

increment_share  of the CPU of a full build that one more day takes, the marts of experiments among all others
stats_cpu_s    to work out every day's outcomes of every metric from the sufficient statistics
peak_gb        of both builds; pandas_cpu_s and pandas_peak_gb are of the last day alone: `experiments_marts`

The seeds here chose nothing: rules were settled on others.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path
from typing import Final

from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from benchmarks.experiments_marts import measured
from benchmarks.experiments_rules import RULES, Outcome, outcome
from benchmarks.experiments_simulated import KINDS, simulate
from stats.wilson import wilson

SEED: Final = 28
SUFFIX: Final = {"once": "", "ratio": "_ratio_metric", "returning": "_returning"}

Job = tuple[str, bool, int]
"""Kind, whether there is a lift, experiments."""


def main() -> None:
    """Simulate, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="400 experiments of each kind, 500,000 metric rows")
    size.add_argument("--full", action="store_true", help="50 million metric rows instead of 5")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    figures |= simulated(400 if arguments.quick else 8000)
    figures |= measured(500_000 if arguments.quick else 50_000_000 if arguments.full else 5_000_000)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def simulated(experiments: int) -> dict[str, float]:
    """The figures of false positives and power, a table of each kind printed on the way."""
    jobs: list[Job] = [(kind, lifted, experiments) for kind in KINDS for lifted in (False, True)]
    with ProcessPoolExecutor(cpu_count()) as pool:
        found = dict(zip([job[:2] for job in jobs], pool.map(outcomes, jobs), strict=True))
    figures: dict[str, float] = {}
    for kind in KINDS:
        without, lifted = found[kind, False], found[kind, True]
        print(f"\n{kind}: {experiments:,} A/A and as many A/B experiments, 28 daily looks")
        print(f"{'rule':9} {'false':>7} {'99%':>14} {'power':>6} {'of fixed':>8} {'stop day':>8} {'estimate/true':>13}")
        for rule in RULES:
            wrong, right = without[rule], lifted[rule]
            low, high = wilson(wrong.called, wrong.of, 0.99)
            power, fixed = right.called / right.of, lifted["fixed"].called / right.of
            print(
                f"{rule:9} {wrong.called / wrong.of:7.4f} {low:6.4f} to {high:.4f} {power:6.3f} {power / fixed:8.3f} "
                f"{right.stop_day:8.0f} {right.exaggeration:13.2f}"
            )
            name = "" if rule == "flywheel" else f"{rule}_"
            figures[f"{name}fpr{SUFFIX[kind]}"] = round(wrong.called / wrong.of, 5)
            figures[f"{name}power{SUFFIX[kind]}"] = round(power, 5)
            if rule == "flywheel":
                figures[f"fpr{SUFFIX[kind]}_low"] = round(low, 5)
                figures[f"power_ratio{SUFFIX[kind]}"] = round(power / fixed, 5)
    return figures


def outcomes(job: Job) -> dict[str, Outcome]:
    """What each rule makes of the experiments of a kind."""
    kind, lifted, experiments = job
    with threadpool_limits(1):  # a process a core is enough
        seen = simulate(kind, experiments, SEED, lifted=lifted)
        return {name: outcome(seen, rule(seen)) for name, rule in RULES.items()}


if __name__ == "__main__":
    main()
