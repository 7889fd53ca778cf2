"""Lineages of checkpoints at the gate, as `flywheel checkpoints promote` runs it: `stats.gate` decides, nothing else.

Each lineage has a champion, a live set whose samples all its candidates share, and what five earlier comparisons say of
variances, by which it plans. A candidate is screened in eight looks; one that is worth it takes a place, and both it
and the champion are asked fresh samples, in eight looks: of the eval that must improve (whose hack gap must not widen
by 3 points), and of one that must not fall by 5. Fresh samples lie in repositories that no look has seen, or in the
same few as the live ones: then each candidate takes a place before it is screened, as the luck of repositories is the
same twice.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.evals_simulated import (
    LENIENT,
    Floats,
    Tasks,
    attempted,
    by_repository,
    by_task,
    differences,
    mean_of,
    shift,
    strengths,
    tasks,
    tasks_in,
)
from stats.eval_power import Clusters, Parts
from stats.gate import Bar, Plan, confirm, screen
from stats.gate_plan import Live, Measured, Wanted, plan, screen_size
from stats.paired import Difference
from stats.variance_parts import pooled, split

TARGET: Final = 0.8
"""The mean logit of the eval that must improve: 62% pass."""
GUARD: Final = 2.2
"""Of the one that must not fall: 79%."""
EACH: Final = 5
"""Tasks a repository."""
PILOTS: Final = 5
IMPROVES: Final = Bar("target", "improves", shares="target")
HOLDS: Final = Bar("guard", "does_not_fall", 0.05)
GAP: Final = Bar("gap", "hack_gap", 0.03, "target")
SCORES: Final = (mean_of(TARGET), mean_of(GUARD), 1 - LENIENT * (1 - mean_of(TARGET)))
"""What a champion has on average, on each bar: known from its evals."""


class Truth(NamedTuple):
    """What a candidate is, in points less the champion: 0.05 is five."""

    target: float = 0.0
    guard: float = 0.0
    gap: float = 0.0


NO_BETTER: Final = Truth()
BETTER: Final = Truth(target=0.05)
BREAKS_GUARD: Final = Truth(target=0.05, guard=-HOLDS.margin)
HACKS: Final = Truth(target=0.05, gap=GAP.margin)


class Tried(NamedTuple):
    """What became of one candidate."""

    promoted: bool
    place: int
    """0: it came to no confirmation."""
    live: int
    """Samples that it was asked."""
    fresh: int
    """The same, and as many of the champion."""


class Seen(NamedTuple):
    """(2, tasks) each, champion and candidate, but for the last three: (tasks,)."""

    strict: Floats
    honest: Floats
    """1 less the hack gap."""
    noise: Floats
    """Variance of one attempt, both added."""
    gap_noise: Floats
    repository: NDArray[np.intp]


class Lineage:
    """A champion, its live set, and the places that candidates have taken."""

    def __init__(
        self, random: np.random.Generator, wanted: Wanted, truths: Sequence[Truth], repositories: int | None = None
    ) -> None:
        """`repositories`: how many there are at all; without, as many as it takes."""
        self.random, self.wanted, self.truths, self.shared = random, wanted, truths, repositories
        self.known = pilots(random, wanted.attempts)
        self.clusters = Clusters(EACH, repositories)
        size = screen_size(wanted, self.known[0], self.clusters)
        assert isinstance(size, int), size
        number = repositories or -(-size // EACH)
        self.hard = random.normal(size=number)
        self.live = tasks_in(random, self.hard, -(-size // number))
        self.by_repository = by_repository(random, number, len(truths))
        own = self.by_repository[:, self.live.repository] + by_task(random, len(self.live.hard), len(truths))
        shifts = np.array([0.0, *(shift(TARGET, truth.target) for truth in truths)])[:, None]
        self.scores = attempted(random, TARGET + self.live.hard + own + shifts, wanted.attempts).strict
        self.order = random.permutation(len(self.live.hard))
        self.champion, self.taken = 0, 0
        self.plans: dict[int, Plan] = {}

    def plan(self, place: int) -> Plan:
        """What the gate plans for the confirmation at a place."""
        if place not in self.plans:
            bars = [
                Measured(bar, parts, self.clusters if bar != HOLDS else Clusters(EACH), score)
                for bar, parts, score in zip((IMPROVES, HOLDS, GAP), self.known, SCORES, strict=True)
            ]
            live = Live(self.known[0], len(self.live.hard), len(self.hard))
            self.plans[place] = plan(self.wanted, place, live, bars)
        return self.plans[place]

    def attempt(self, number: int) -> Tried:
        """Candidate `number` (from 0) at the gate; a promoted one is the champion of a new lineage."""
        made = self.plan(self.taken + 1)
        self.taken += self.shared is not None
        worth, live = self._screened(made, self.scores[[self.champion, number + 1]])
        if not worth or made.undecidable:
            return Tried(False, 0, live, 0)
        self.taken += self.shared is None
        promoted, fresh = self._confirmed(made, number)
        tried = Tried(promoted, self.taken, live, fresh)
        if promoted:
            self.champion, self.taken = number + 1, 0
        return tried

    def naive(self) -> bool:
        """Whether a rule without a budget would promote any: p below .05, paired and clustered, on the live set."""
        found = differences(self.scores[1:] - self.scores[0], self.live.repository)
        return bool((found.mean / found.se > 1.96).any())

    def _screened(self, made: Plan, values: Floats) -> tuple[bool, int]:
        assert made.screen
        looks: list[Difference] = []
        for samples in made.screen.samples:
            seen = self.order[:samples]
            looks.append(look(values[:, seen], self.live.repository[seen]))
            verdict = screen(made, looks).verdict
            if verdict != "more":
                return verdict == "confirm", samples
        raise AssertionError("the last look decides")

    def _confirmed(self, made: Plan, number: int) -> tuple[bool, int]:
        """Whether a candidate passes the confirmation, and how many fresh samples it was asked."""
        planned = {bar.name: course.samples for bar, course in made.bars}
        truth, attempts = self.truths[number], made.attempts
        target = self._asked(planned["target"][-1], number, truth, attempts)
        guard = compared(
            self.random, tasks(self.random, planned["guard"][-1] // EACH, EACH), GUARD, truth.guard, attempts
        )
        values = {
            "target": (target.strict, target.repository),
            "gap": (target.honest, target.repository),
            "guard": (guard.strict, guard.repository),
        }
        looks: dict[str, list[Difference]] = {name: [] for name in planned}
        asked = dict.fromkeys(planned, 0)
        waiting = set(planned)
        for number_of_look in range(self.wanted.looks):
            for name in waiting:
                asked[name] = planned[name][number_of_look]
                scores, place = values[name]
                looks[name].append(look(scores[:, : asked[name]], place[: asked[name]]))
            verdict = confirm(made, looks)
            waiting = {found.bar.name for found in verdict.found if found.standing.state == "open"}
            if verdict.outcome != "more":
                return verdict.outcome == "promote", max(asked["target"], asked["gap"]) + asked["guard"]
        raise AssertionError("the last look decides")

    def _asked(self, samples: int, number: int, truth: Truth, attempts: int) -> Seen:
        """Fresh samples of the eval that must improve, in repositories that are new or those that there are."""
        if self.shared is None:
            fresh = tasks(self.random, samples // EACH, EACH)
            return compared(self.random, fresh, TARGET, truth.target, attempts, gap=truth.gap)
        fresh = tasks_in(self.random, self.hard, -(-samples // self.shared))
        own = self.by_repository[[self.champion, number + 1]][:, fresh.repository]
        own = own + by_task(self.random, len(fresh.hard), 1)
        seen = compared(self.random, fresh, TARGET, truth.target, attempts, gap=truth.gap, own=own)
        order = self.random.permutation(len(fresh.hard))
        return Seen(
            seen.strict[:, order],
            seen.honest[:, order],
            seen.noise[order],
            seen.gap_noise[order],
            seen.repository[order],
        )


def pilots(random: np.random.Generator, attempts: int, number: int = PILOTS) -> tuple[Parts, Parts, Parts]:
    """What earlier comparisons say of the variances of target, guard and gap: 40 repositories each, neither better."""
    found: list[tuple[Parts, Parts, Parts]] = []
    for _ in range(number):
        target, guard = (compared(random, tasks(random, 40, EACH), base, 0.0, attempts) for base in (TARGET, GUARD))
        found.append(
            (
                split(np.subtract(*target.strict), target.repository, target.noise, attempts),
                split(np.subtract(*guard.strict), guard.repository, guard.noise, attempts),
                split(np.subtract(*target.honest), target.repository, target.gap_noise, attempts),
            )
        )
    target, guard, gap = (pooled(parts) for parts in zip(*found, strict=True))
    return target, guard, gap


def compared(
    random: np.random.Generator,
    of: Tasks,
    base: float,
    points: float,
    attempts: int,
    *,
    gap: float = 0.0,
    own: Floats | None = None,
) -> Seen:
    """A champion and a candidate that is better by `points`, on the same tasks."""
    good = strengths(random, of, 1) if own is None else own
    logits = base + of.hard + good + np.array([[0.0], [shift(base, points)]])
    failing = 1 - mean_of(base)
    leniency = np.array([[LENIENT], [(gap + failing * LENIENT) / (failing - points)]])
    scores = attempted(random, logits, attempts, leniency)
    return Seen(
        scores.strict,
        1 - (scores.lenient - scores.strict),
        scores.noise.sum(axis=0),
        scores.gap_noise.sum(axis=0),
        of.repository,
    )


def look(scores: Floats, place: NDArray[np.intp]) -> Difference:
    """What the gate reads of champion and candidate (2, tasks) in repositories (tasks,)."""
    found = differences(scores[1] - scores[0], place)
    champion, candidate = (float(mean) for mean in scores.mean(axis=1))
    sizes = int(found.samples), int(found.clusters)
    return Difference(candidate, champion, float(found.se), float(found.df), *sizes, float(found.skew))
