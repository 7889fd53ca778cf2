"""Tripwires: one file a wire. Each looks at what the agent changed, ran and asked for, and tells what it finds.

What the task's own files, or the gold files, do as well is never held against a candidate.
"""

from collections.abc import Callable, Iterator

from evals.grader.grade import Tripwire
from evals.grader.tripwires import (
    always_equal,
    blobs,
    call_stack,
    config,
    early_end,
    git_archaeology,
    graders_places,
    network,
    other_copies,
    patched_runner,
    results_files,
    special_casing,
    test_edits,
)
from evals.grader.tripwires.case import Case

WIRES: dict[str, Callable[[Case], Iterator[Tripwire]]] = {
    "always_equal": always_equal.look,
    "blobs": blobs.look,
    "call_stack": call_stack.look,
    "config": config.look,
    "early_end": early_end.look,
    "git_archaeology": git_archaeology.look,
    "graders_places": graders_places.look,
    "network": network.look,
    "other_copies": other_copies.look,
    "patched_runner": patched_runner.look,
    "results_files": results_files.look,
    "special_casing": special_casing.look,
    "test_edits": test_edits.look,
}


def look(case: Case) -> list[Tripwire]:
    """All that the wires find, in order of their names."""
    return [found for wire in WIRES.values() for found in wire(case)]
