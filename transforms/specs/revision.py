"""When a spec is issued again. Pure."""

from models.specs import Spec

GROWTH = 1.2
"""A fifth more evidence is worth a revision even before the last one has a result."""


def next_revision(candidate: Spec, last: Spec | None, last_revision: int, *, has_result: bool) -> int | None:
    """The revision under which `candidate` is to be issued, from 1; None if the last one still stands."""
    if last is None:
        return 1
    if candidate.content() == last.content():
        return None
    if has_result or len(candidate.evidence) >= GROWTH * len(last.evidence):
        return last_revision + 1
    return None
