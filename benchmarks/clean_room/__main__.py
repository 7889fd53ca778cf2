"""What the clean room holds, what it costs, and what is made in it.

    python -m benchmarks.clean_room [--json FILE] [--quick] [--only SECTION ...]

Sections, each a module here with a `measure(quick)`: what their figures mean is said there.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.clean_room import gauntlet, generation, leaks, restore, start
from benchmarks.clean_room.section import Section

SECTIONS: Final[dict[str, Callable[[bool], Section]]] = {
    "leaks": leaks.measure,
    "start": start.measure,
    "restore": restore.measure,
    "gauntlet": gauntlet.measure,
    "generation": generation.measure,
}
"""In the order in which they are printed."""


def main() -> None:
    """Measure, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="these sections alone")
    arguments = parser.parse_args()
    figures: dict[str, float | int | str | bool] = {}
    for name in arguments.only or SECTIONS:
        section = SECTIONS[name](arguments.quick)
        print(f"\n{section.title}\n", *section.lines, sep="\n", flush=True)
        if shared := figures.keys() & section.figures.keys():
            raise ValueError(f"{name} writes {sorted(shared)}, which an earlier section has written")
        figures |= section.figures
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
