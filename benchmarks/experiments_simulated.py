"""Experiments whose truth is known, for `benchmarks.experiments`: what each daily look sees, from sums as a mart has.

once       a share: each user gives one 0 or 1 on arrival; 1,000 new ones an arm and day, p = .30, lift .012
ratio      successes over attempts of users who arrive as above, some with a hundred times the attempts of others, each
           with a rate of their own; both on the day of arrival
returning  successes a user up to now: users arrive as above, come back for five days on average, and do as much a day
           as they are inclined to; all is counted from their arrival on

Users of the last two are of 100 types, drawn by a fixed seed; how many of each type arrive is random (Poisson, so that
arms are unequal as by a coin), and their sums are exact for that. A lift multiplies successes, by as much as gives the
fixed test at the end the power that it has in `once`. Leaves out seasons, novelty, and people who see two variants.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.power import unit_days

Floats = NDArray[np.float64]

DAYS: Final = 28
USERS: Final = 1000
"""An arm and day."""
SHARE, LIFT = 0.30, 0.012
DRIFT: Final = 3.081
"""The mean of z at the end in `once`: LIFT over its standard error with DAYS * USERS an arm."""
TYPES: Final = 100
KINDS: Final = ("once", "ratio", "returning")
_CHUNK: Final = 100


class Seen(NamedTuple):
    """What the looks of many experiments see. (experiments, DAYS), but for the last two: (DAYS,)."""

    difference: Floats
    se: Floats
    units: Floats
    weight: Floats
    """Denominators of both arms."""
    information: Floats
    """As shares of what was planned: units, or unit-days where users return."""
    true: Floats
    """The difference in truth where there is a lift: it grows while users return."""


class _Law(NamedTuple):
    """Users by type and day since arrival."""

    y: Floats
    """(TYPES, DAYS) up to that day, in the control."""
    d: Floats


def simulate(kind: str, experiments: int, seed: int, *, lifted: bool) -> Seen:
    """A/B experiments with the lift of that kind, or A/A."""
    random = np.random.default_rng((seed, KINDS.index(kind), int(lifted)))
    days = range(1, DAYS + 1)
    planned = [unit_days(day * USERS, day) if kind == "returning" else day * USERS for day in days]
    information = np.array(planned) / planned[-1]
    if kind == "once":
        arms = [_once(random, experiments, SHARE + lift) for lift in (0.0, LIFT * lifted)]
        return looked(arms[0], arms[1], information, np.full(DAYS, LIFT))
    law = _law(kind)
    ratio, se = _truth(law)
    lift = DRIFT * se / ratio * lifted
    parts = [
        tuple(_arrived(random, min(_CHUNK, experiments - start), law, factor) for factor in (1.0, 1 + lift))
        for start in range(0, experiments, _CHUNK)
    ]
    control, treatment = (np.concatenate([part[arm] for part in parts], axis=1) for arm in (0, 1))
    grown = law.y.sum(axis=0).cumsum() / law.d.sum(axis=0).cumsum()  # arrivals of every day up to then
    return looked(control, treatment, information, DRIFT * se * grown / ratio)


def _once(random: np.random.Generator, experiments: int, share: float) -> Floats:
    """Sums (6, experiments, DAYS): n, y, d, yy, yd, dd."""
    y = random.binomial(USERS, share, (experiments, DAYS)).cumsum(axis=1).astype(np.float64)
    n = np.broadcast_to(np.arange(1.0, DAYS + 1) * USERS, y.shape)
    return np.stack([n, y, n, y, y, n])


def _arrived(random: np.random.Generator, experiments: int, law: _Law, factor: float) -> Floats:
    """The same of users who arrive each day and do what their type does, `factor` times as often."""
    sums = np.zeros((6, experiments, DAYS))
    y = law.y * factor
    since = np.concatenate([np.ones_like(y), y, law.d, y * y, y * law.d, law.d * law.d], axis=1)  # (TYPES, 6 DAYS)
    for day in range(DAYS):
        came = random.poisson(USERS / TYPES, (experiments, TYPES)).astype(np.float64)
        added = (came @ since).reshape(experiments, 6, DAYS).transpose(1, 0, 2)
        sums[:, :, day:] += added[:, :, : DAYS - day]
    return sums


def looked(control: Floats, treatment: Floats, information: Floats, true: Floats) -> Seen:
    """The estimates and errors of `stats.effect`, for all experiments at once (a test holds them against it)."""
    ratios, squares = list[Floats](), list[Floats]()
    for n, y, d, yy, yd, dd in (control, treatment):
        ratio = y / d
        ratios.append(ratio)
        squares.append(n / (n - 1) * (yy - 2 * ratio * yd + ratio * ratio * dd) / (d * d))
    return Seen(
        ratios[1] - ratios[0],
        np.sqrt(squares[0] + squares[1]),
        control[0] + treatment[0],
        control[2] + treatment[2],
        information,
        true,
    )


def _law(kind: str) -> _Law:
    random = np.random.default_rng(20261201)
    if kind == "ratio":
        attempts = 1 + np.minimum(np.floor(random.pareto(1.2, TYPES)), 100)
        successes = random.binomial(attempts.astype(np.int64), random.beta(3, 7, TYPES)).astype(np.float64)
        return _Law(np.tile(successes[:, None], DAYS), np.tile(attempts[:, None], DAYS))
    inclined, stays = random.gamma(0.7, 0.7, (TYPES, 1)), random.geometric(0.2, (TYPES, 1))
    daily = random.poisson(np.broadcast_to(inclined, (TYPES, DAYS))) * (np.arange(DAYS) < stays)
    return _Law(daily.cumsum(axis=1).astype(np.float64), np.ones((TYPES, DAYS)))


def _truth(law: _Law) -> tuple[float, float]:
    """The estimate at the end in expectation, and the standard error of the difference of two arms.

    A law's columns are then also its users by day of arrival, the last to come first.
    """
    ratio = float(law.y.sum() / law.d.sum())
    residual = law.y - ratio * law.d
    return ratio, float(np.sqrt(2 * (residual**2).sum() * TYPES / USERS) / law.d.sum())
