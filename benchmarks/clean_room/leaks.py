"""Each leak, found without a room and looked for in one.

leaks_tested         leaks that this machine can have
leaks_found_inside   of these, found in a room in any of their modes, by the same probe or by a search for the secret
controls_failed      of these, not found without a room: nothing is shown of them
"""

import tempfile
from pathlib import Path

from benchmarks.clean_room.section import Section, table
from evals.cleanroom.leaks.table import DECLARED, LEAKS, Row, batches, tried


def measure(quick: bool) -> Section:
    """All leaks, whether `quick` or not: they take seconds."""
    rows: list[Row] = []
    for batch in batches():
        with tempfile.TemporaryDirectory() as folder:
            rows += tried(batch, Path(folder, "world"))
    lines: list[tuple[object, ...]] = []
    for leak in LEAKS:
        own = [row for row in rows if row.leak.name == leak.name]
        without = "found" if own and all(row.found_without for row in own) else "NOT FOUND" if own else "not here"
        inside = ", ".join(row.mode for row in own if row.found_inside)
        lines.append((leak.group, leak.name, ", ".join(leak.modes), without, f"FOUND: {inside}" if inside else "-"))
    lines += [("declared", name, "", "", "what a spec has to say") for name in DECLARED]
    named = {row.leak.name for row in rows}
    return Section(
        "Leaks",
        table(("group", "leak", "modes", "without a room", "in a room"), lines),
        {
            "leaks_tested": len(named),
            "leaks_found_inside": len({row.leak.name for row in rows if row.found_inside}),
            "controls_failed": len({row.leak.name for row in rows if not row.found_without}),
        },
    )
