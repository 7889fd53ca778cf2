"""When a rule calls a winner: ours and those of others, all on the same looks (`benchmarks.experiments`).

fixed     z once, at the planned end: what the others are measured against; it may not be looked at before
flywheel  `stats.sequential`: O'Brien and Fleming's spending by planned units or unit-days, the clock of sums
naive     |z| > 1.96 on any day
bayes     flat prior, a chance to be better above 95% or below 5% on any day
msprt     mixture sequential probability ratio test, normal prior as wide as the true lift: the best it can be told
gbstats   GrowthBook's sequential setting: asymptotic confidence sequence tuned to 5,000 units, its default
"""

import statistics
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.experiments_simulated import Floats, Seen
from stats.always_valid import half_width, rho
from stats.clock import clock
from stats.spending import bounds

ALPHA: Final = 0.05
N_STAR: Final = 5000

Called = NDArray[np.bool_]
"""(experiments, DAYS): whether the rule would stop there."""


class Outcome(NamedTuple):
    """What came of it."""

    called: int
    of: int
    stop_day: float
    """The median, the end where it never stopped."""
    exaggeration: float
    """Mean estimate where it stopped over the truth."""


def _fixed(seen: Seen) -> Called:
    called = np.abs(seen.difference / seen.se) > 1.959964
    called[:, :-1] = False
    return called


def _flywheel(seen: Seen) -> Called:
    share = np.broadcast_to(seen.information, seen.se.shape)
    return np.abs(seen.difference / seen.se) >= bounds(share, ALPHA, clock(seen.se, seen.weight))


def _naive(seen: Seen) -> Called:
    return np.abs(seen.difference / seen.se) > 1.959964


def _bayes(seen: Seen) -> Called:
    return np.abs(seen.difference / seen.se) > 1.644854


def _msprt(seen: Seen) -> Called:
    """Johari, Koomen, Pekelis and Walsh (2022), Always valid inference, section 5."""
    square, prior = seen.se**2, seen.true[-1] ** 2
    evidence = seen.difference**2 * prior / (2 * square * (square + prior)) - 0.5 * np.log1p(prior / square)
    return evidence > -np.log(ALPHA)


def _gbstats(seen: Seen) -> Called:
    """By `stats.always_valid`; a sample of the looks also by gbstats itself, which must call the same."""
    ends = seen.se * np.vectorize(half_width)(seen.units, 1.0, rho(ALPHA, N_STAR), ALPHA)
    called = np.abs(seen.difference) > ends
    tests, models = (import_module(f"gbstats.{name}") for name in ("frequentist.tests", "models.statistics"))
    for place in zip(*(axis.tolist() for axis in np.nonzero(np.ones_like(called[:10]))), strict=True):
        theirs = _of_gbstats(tests, models, seen, place)
        if np.abs(np.array(theirs) - (seen.difference[place] + np.array([-1, 1]) * ends[place])).max() > 1e-9:
            raise RuntimeError(f"gbstats has {theirs} at look {place}, we {seen.difference[place]} +- {ends[place]}")
    return called


def _of_gbstats(tests: Any, models: Any, seen: Seen, place: tuple[int, ...]) -> list[float]:
    """The interval that gbstats gives two arms with that difference and error."""
    units = int(seen.units[place])
    arms: list[Any] = []
    # Each with half of the squared error: sums that have the mean 1, and 1 more than the difference.
    for n, mean in ((units // 2, 1.0), (units - units // 2, 1.0 + seen.difference[place])):
        squares = (n - 1) * n * seen.se[place] ** 2 / 2 + n * mean**2
        arms.append(models.SampleMeanStatistic(n=n, sum=n * mean, sum_squares=squares))
    config = tests.SequentialConfig(difference_type="absolute", alpha=ALPHA, sequential_tuning_parameter=N_STAR)
    return tests.SequentialTwoSidedTTest(*arms, config).compute_result().ci


RULES: Final[dict[str, Callable[[Seen], Called]]] = {
    "fixed": _fixed,
    "flywheel": _flywheel,
    "naive": _naive,
    "bayes": _bayes,
    "msprt": _msprt,
    "gbstats": _gbstats,
}


def outcome(seen: Seen, called: Called) -> Outcome:
    """What a rule's calls come to: an experiment ends at the first."""
    ever: Called = np.logical_or.reduce(called, axis=1)
    first: NDArray[np.intp] = called.argmax(axis=1)
    exaggerated: Floats = (seen.difference[np.arange(len(called)), first] / seen.true[first])[ever]
    return Outcome(
        int(ever.sum()),
        len(called),
        statistics.median(
            at + 1 if stopped else called.shape[1] for stopped, at in zip(ever.tolist(), first.tolist(), strict=True)
        ),
        float(exaggerated.mean()) if len(exaggerated) else float("nan"),
    )
