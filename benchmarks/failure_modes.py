"""Failure modes measured: assignment with abstention, discovery beside BERTopic, ids that stay, and a million comments.

    python -m benchmarks.failure_modes [--quick] [--json FILE]

Each part stands in a file of its own, which says what is measured, on what, and how its settings were chosen:
`failure_modes_assignment`, `failure_modes_clustering`, `failure_modes_ids`, `failure_modes_million`. BERTopic's figures
have `bertopic_` before them; it has no part in assignment and the million.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from benchmarks import failure_modes_assignment, failure_modes_clustering, failure_modes_ids, failure_modes_million

PARTS: Final[Mapping[str, Callable[..., dict[str, float]]]] = {
    "assignment": failure_modes_assignment.measure,
    "clustering": failure_modes_clustering.measure,
    "ids": failure_modes_ids.measure,
    "million": failure_modes_million.measure,
}
BARS: Final[Mapping[str, tuple[str, float]]] = {
    "accuracy_50shot": (">=", 0.935),
    "ece_mixed": ("<=", 0.03),
    "oos_auroc": (">=", 0.96),
    "coverage_at_95": (">=", 0.90),
    "realised_precision": (">=", 0.94),
    "clinc_v": (">=", 0.90),
    "clinc_ari": (">=", 0.68),
    "banking_v": (">=", 0.82),
    "banking_ari": (">=", 0.55),
    "unassigned_share": ("<=", 0.0),
    "seed_ari": (">=", 0.95),
    "shuffle_ari": (">=", 0.95),
    "ids_kept": (">=", 1.0),
    "new_found": (">=", 17.0),
    "false_new": ("<=", 0.05),
    "bertopic_clinc_v": (">=", 0.88),
    "cpu_ratio_bertopic": (">=", 10.0),
    "million_cpu_s": ("<=", 120.0),
    "million_peak_gb": ("<=", 3.0),
    "million_growth": ("<=", 11.0),
    "million_rebuild_share": ("<=", 0.1),
}
"""What issue 5 asks for."""


def main() -> None:
    """Print a table, a row a figure, with what is asked of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="a small input")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part (may be repeated)")
    args = parser.parse_args()
    found: dict[str, float] = {}
    for part in args.only or PARTS:
        found |= PARTS[part](quick=args.quick)
    for key, value in found.items():
        print(_row(key, value))
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def _row(key: str, value: float) -> str:
    if key not in BARS:
        return f"{key:28} {value:12.4f}"
    sign, bar = BARS[key]
    met = value >= bar if sign == ">=" else value <= bar
    return f"{key:28} {value:12.4f}  {sign} {bar:g} {'' if met else 'MISSED'}".rstrip()


if __name__ == "__main__":
    main()
