"""When a spec is issued again. Pure."""

from collections.abc import Iterable

from models.events.spec import EvalSpecIssued, JudgingSpecIssued, TrainingSpecIssued
from models.specs import Spec

SpecIssued = EvalSpecIssued | TrainingSpecIssued | JudgingSpecIssued

GROWTH = 1.2
"""A fifth more evidence is worth a revision even before the last one has a result."""


def next_revision(candidate: Spec, last: SpecIssued, *, has_result: bool, retired: bool = False) -> int | None:
    """The revision under which `candidate` is to be issued after `last`; None if that one still stands.

    A `retired` one doesn't, however little the evidence has changed.
    """
    if candidate.content() == last.spec.content():
        return None
    if retired or has_result or len(candidate.evidence) >= GROWTH * len(last.spec.evidence):
        return last.revision + 1
    return None


def latest(issued: Iterable[SpecIssued]) -> dict[str, SpecIssued]:
    """The newest revision of each key, by key: the live specs."""
    newest: dict[str, SpecIssued] = {}
    for event in issued:
        if event.spec_key not in newest or event.revision > newest[event.spec_key].revision:
            newest[event.spec_key] = event
    return newest
