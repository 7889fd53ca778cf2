"""Evals whose truth is known, for `benchmarks.evals`: tasks in repositories, each checkpoint with strengths of its own.

An attempt passes with a chance whose logit is the sum of
- how hard the repository is, and how hard the task is in it: normal, sd 2 together, half of the variance each;
- what the checkpoint is good at: by repository (sd .2) and by task (sd .5). Candidates of one lineage come from one
  parent, which is not the champion, and have half of that variance in common;
- a shift that makes it better or worse by so many points on average over all tasks there could be.

A checkpoint that is "no better" is so on that average, not on the live tasks, where its luck with tasks and
repositories differs. Where a strict score fails, a lenient one passes by another chance, the same for all unless it
hacks. Leaves out drift of the tasks, and attempts that are alike beyond their task.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs,reportUnknownVariableType]
from scipy.special import expit  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import Clustered, of_sums
from stats.paired import with_few

Floats = NDArray[np.float64]

RHO: Final = 0.5
HARD_SD: Final = 2.0
BY_REPOSITORY: Final = 0.2
BY_TASK: Final = 0.5
COMMON: Final = 0.5
"""Of what a candidate is good at, the share of variance that its lineage has in common."""
LENIENT: Final = 0.07
"""Of attempts that fail, those that pass leniently."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(121)


class Tasks(NamedTuple):
    """(tasks,) each."""

    hard: Floats
    repository: NDArray[np.intp]


class Scores(NamedTuple):
    """(..., tasks) each: means over attempts, and variances of one attempt."""

    strict: Floats
    lenient: Floats
    noise: Floats
    gap_noise: Floats


def tasks(random: np.random.Generator, repositories: int, each: int) -> Tasks:
    """New tasks in new repositories, in the order of repositories."""
    return tasks_in(random, random.normal(size=repositories), each)


def tasks_in(random: np.random.Generator, hard: Floats, each: int) -> Tasks:
    """New tasks in repositories that are there: how hard each is, in sd (repositories,)."""
    place = np.repeat(np.arange(len(hard)), each)
    within = np.sqrt(RHO) * hard[place] + np.sqrt(1 - RHO) * random.normal(size=len(place))
    return Tasks(HARD_SD * within, place)


def strengths(random: np.random.Generator, of: Tasks, candidates: int) -> Floats:
    """What a champion (first) and its candidates are good at: (1 + candidates, tasks)."""
    repositories = by_repository(random, int(of.repository.max()) + 1, candidates)
    return repositories[:, of.repository] + by_task(random, len(of.hard), candidates)


def by_repository(random: np.random.Generator, repositories: int, candidates: int) -> Floats:
    """The part of it that goes by repository: (1 + candidates, repositories)."""
    return BY_REPOSITORY * _related(random, candidates, repositories)


def by_task(random: np.random.Generator, number: int, candidates: int) -> Floats:
    """The part of it that goes by task: (1 + candidates, tasks)."""
    return BY_TASK * _related(random, candidates, number)


def _related(random: np.random.Generator, candidates: int, number: int) -> Floats:
    own = random.normal(size=(1 + candidates, number))
    own[1:] = np.sqrt(1 - COMMON) * own[1:] + np.sqrt(COMMON) * random.normal(size=number)
    return own


def attempted(random: np.random.Generator, logits: Floats, attempts: int, lenient: float | Floats = LENIENT) -> Scores:
    """What attempts at tasks come to: (..., tasks)."""
    chance: Floats = expit(logits)
    passed = np.asarray(random.binomial(attempts, chance), dtype=np.float64)
    second = np.asarray(random.binomial(attempts - passed.astype(np.int64), lenient), dtype=np.float64)
    several = attempts / max(attempts - 1, 1)
    strict, gap = passed / attempts, second / attempts
    return Scores(strict, strict + gap, several * strict * (1 - strict), several * gap * (1 - gap))


def differences(values: Floats, place: NDArray[np.intp]) -> Clustered:
    """Means with their errors, of differences (..., tasks) in repositories (tasks,)."""
    number = int(place.max()) + 1
    inside = np.zeros((len(place), number))
    inside[np.arange(len(place)), place] = 1.0
    found = of_sums(values @ inside, inside.sum(axis=0), (values * values) @ inside)
    return with_few(found, (values != 0).sum(axis=-1))


@lru_cache(maxsize=256)
def shift(base: float, points: float) -> float:
    """What is added to the logit so that a checkpoint is better by `points` (0.05 is five) over all tasks.

    `base` is where the mean logit lies. By quadrature.
    """
    if points == 0:
        return 0.0
    sd = np.sqrt(HARD_SD**2 + BY_REPOSITORY**2 + BY_TASK**2)
    weight = _WEIGHTS / _WEIGHTS.sum()

    def short(by: float) -> float:
        return float(weight @ (expit(base + by + sd * _POINTS) - expit(base + sd * _POINTS))) - points

    return brentq(short, -8.0, 8.0)  # pyright: ignore[reportReturnType,reportUnknownVariableType]


def mean_of(base: float) -> float:
    """The pass rate of all tasks there could be, where the mean logit is `base`."""
    sd = np.sqrt(HARD_SD**2 + BY_REPOSITORY**2 + BY_TASK**2)
    return float(_WEIGHTS @ expit(base + sd * _POINTS) / _WEIGHTS.sum())
