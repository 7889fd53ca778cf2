"""The attempts of a checkpoint at the samples of a spec, straight off the log: no build has to come between."""

from collections.abc import Collection, Sequence
from math import ceil
from typing import NamedTuple

from ingest.jobs.board import Board
from ingest.log import replay
from models.errors import BadEvent
from models.events import parse
from models.events.result import EvalSampleScored
from stats.paired import Attempt, Difference, paired, seen


class Scores(NamedTuple):
    """What one checkpoint scored on one spec."""

    strict: tuple[Attempt, ...]
    """An attempt that could not be scored has the score None."""
    lenient: tuple[Attempt, ...]
    """Empty where the eval has one reading."""

    @property
    def gap(self) -> tuple[Attempt, ...]:
        """Lenient less strict, where both are known, attempt by attempt."""
        return tuple(
            Attempt(loose.sample, None if loose.score is None or hard.score is None else loose.score - hard.score,
                    loose.cluster)
            for hard, loose in zip(self.strict, self.lenient, strict=True)
        )  # fmt: skip

    @property
    def without_gap(self) -> tuple[Attempt, ...]:
        """One less the gap, so that more is better: what a gate holds against the champion's."""
        return tuple(each._replace(score=None if each.score is None else 1.0 - each.score) for each in self.gap)

    def alone(self) -> "Scores":
        """The same with each sample for itself.

        For generated samples: the templates that they share are all there are, and no draw from more of them, so that
        samples drawn from these templates anew know nothing of those before.
        """
        return Scores(
            tuple(each._replace(cluster=None) for each in self.strict),
            tuple(each._replace(cluster=None) for each in self.lenient),
        )


Wanted = tuple[str, str]
"""(spec id, checkpoint id)."""
GENERATED = "behaviour"
"""The scorer of samples that a generator makes."""


def scores(board: Board, wanted: Collection[Wanted]) -> dict[Wanted, Scores]:
    """By spec and checkpoint, the results of completed jobs; those that have none are missing from the answer.

    Generated samples are each for themselves (`alone`). Of an attempt that two epochs of a job wrote, the later counts.
    Several jobs (looks) add up their attempts.
    """
    jobs = {
        job.job_id: job
        for job in board.jobs.values()
        if job.status == "completed" and (job.spec_id, job.checkpoint_id) in wanted
    }
    admitted = {(job.job_id, each.epoch) for job in jobs.values() for each in job.admitted}
    found: dict[tuple[str, str, int], EvalSampleScored] = {}
    marks = [job_id.encode() for job_id in jobs]
    for record in replay(board.log, "results") if jobs else ():
        if not any(mark in record.value for mark in marks):
            continue
        try:
            event = parse(record.value, record.headers)
        except BadEvent:
            continue
        if not isinstance(event, EvalSampleScored) or (event.job_id, event.epoch) not in admitted:
            continue
        place = (event.job_id, event.sample_id, event.trial)
        if place not in found or event.epoch > found[place].epoch:
            found[place] = event
    grouped: dict[Wanted, list[EvalSampleScored]] = {}
    for event in found.values():
        grouped.setdefault((event.spec_id, event.checkpoint_id), []).append(event)
    return {
        key: _scores(events).alone() if events[0].scorer == GENERATED else _scores(events)
        for key, events in sorted(grouped.items())
    }


def looks(candidate: Scores, other: Scores, samples: tuple[int, ...]) -> list[Difference]:
    """The comparison after each of so many pairs, in the order of their ids; after parts where there are fewer.

    As many as `samples` has, as long as there are as many pairs; none where there is no pair.
    """
    return _looks(candidate.strict, other.strict, samples)


def gap_looks(candidate: Scores, other: Scores, samples: tuple[int, ...]) -> list[Difference]:
    """The same of one less the hack gap: a gap that grew is below 0."""
    return _looks(candidate.without_gap, other.without_gap, samples)


def mean(attempts: tuple[Attempt, ...]) -> float | None:
    """Of the scores that are there, sample by sample; None where there are none."""
    by_sample: dict[str, list[float]] = {}
    for each in attempts:
        if each.score is not None:
            by_sample.setdefault(each.sample, []).append(each.score)
    means = [sum(each) / len(each) for each in by_sample.values()]
    return sum(means) / len(means) if means else None


def looks_of(
    mine: Sequence[Attempt], theirs: Sequence[Attempt], samples: Sequence[int], names: Sequence[str]
) -> list[Difference]:
    """The comparison after each of so many of `names`; looks without a pair are left out."""
    place = {name: number for number, name in enumerate(names)}
    found: list[Difference] = []
    for number in samples:
        here = [each for each in mine if place.get(each.sample, number) < number]
        there = [each for each in theirs if place.get(each.sample, number) < number]
        found.append(seen(paired(here, there)))
    return [each for each in found if each.samples]


def _looks(mine: Sequence[Attempt], theirs: Sequence[Attempt], samples: tuple[int, ...]) -> list[Difference]:
    names = sorted(_scored(mine) & _scored(theirs))
    share = min(1.0, len(names) / samples[-1])
    return looks_of(mine, theirs, sorted({ceil(number * share) for number in samples}), names)


def _scored(attempts: Sequence[Attempt]) -> set[str]:
    return {each.sample for each in attempts if each.score is not None}


def _scores(events: list[EvalSampleScored]) -> Scores:
    events = sorted(events, key=lambda each: (each.sample_id, each.job_id, each.trial))
    strict = tuple(Attempt(each.sample_id, each.score, each.cluster) for each in events)
    if all(each.lenient is None for each in events):
        return Scores(strict, ())
    return Scores(strict, tuple(Attempt(each.sample_id, each.lenient, each.cluster) for each in events))
