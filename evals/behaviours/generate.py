"""Fresh samples on demand: as many as are wanted, the same for the same seed, others for another."""

from collections.abc import Iterator

from environments.draw import Draw
from evals.behaviours.behaviour import Behaviour
from evals.behaviours.sample import BehaviourSample

SPREAD = 5
"""Difficulties that samples have in turn, where none is asked for."""


def generate(behaviour: Behaviour, seed: str | int, n: int, difficulty: float | None = None) -> list[BehaviourSample]:
    """`n` samples, no two equal. None: difficulties from .1 to .9 in turn. More of a seed begin with those of fewer."""
    found: dict[str, BehaviourSample] = {}
    for sample in _samples(behaviour, str(seed), difficulty):
        if len(found) >= n:
            break
        found.setdefault(sample.sample_id, sample)
    return list(found.values())


def _samples(behaviour: Behaviour, seed: str, difficulty: float | None) -> Iterator[BehaviourSample]:
    number = 0
    while True:
        hard = (number % SPREAD + 0.5) / SPREAD if difficulty is None else difficulty
        yield behaviour.make(Draw(behaviour.name, seed, number), hard)
        number += 1
