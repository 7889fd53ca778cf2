"""From the scores of a live eval to the plan of a confirmation: which variances it goes by, and what it asks for."""

from collections.abc import Mapping, Sequence

from evals.promotion.bars import Promise
from evals.promotion.scores import Scores
from models.specs import Confirmation
from stats.clustered import Floats
from stats.course import Course
from stats.eval_power import Clusters, Parts
from stats.gate import Bar, Plan
from stats.gate_plan import Live, Measured, Wanted, plan
from stats.paired import Attempt
from stats.variance_parts import of_attempts, pooled, split

USUAL = Parts(clusters=0.0, samples=0.08, attempts=0.34)
"""Where nothing is known yet: of two policies that pass half of the samples, with some that are hard for both."""

LEAST = 0.06
"""Two checkpoints that have not differed so far are not known never to: as `stats.paired.FEW` has it at 100 samples."""


def gap_name(key: str) -> str:
    """What the bar of an eval's hack gap is called."""
    return f"{key} gap"


def parts_of(mine: Sequence[Attempt], theirs: Sequence[Attempt]) -> Parts | None:
    """Where the variance of their difference comes from; None with fewer than two clusters."""
    left, right = _by_sample(mine), _by_sample(theirs)
    both = sorted(left.keys() & right.keys())
    clusters = [left[name][0] for name in both]
    if len(set(clusters)) < 2:
        return None
    tried = [(left[name][1], right[name][1]) for name in both]
    differences = [sum(a) / len(a) - sum(b) / len(b) for a, b in tried]
    noise = _noise([mine for mine, _ in tried]) + _noise([theirs for _, theirs in tried])
    attempts = round(sum(len(a) + len(b) for a, b in tried) / 2 / len(tried))
    return split(differences, clusters, noise, max(attempts, 1))


def known(pairs: Sequence[tuple[Sequence[Attempt], Sequence[Attempt]]]) -> Parts:
    """What earlier comparisons have on average; USUAL where there is none. At least LEAST is the samples' own."""
    found = [each for each in (parts_of(mine, theirs) for mine, theirs in pairs) if each is not None]
    if not found:
        return USUAL
    usual = pooled(found)
    return usual._replace(samples=max(usual.samples, LEAST))


def plan_of(
    wanted: Wanted, place: int, promised: Sequence[Promise], *, live: Mapping[str, tuple[Scores, Scores]],
    parts: Mapping[str, Parts], gap_parts: Mapping[str, Parts], fresh: Mapping[str, Clusters], hack_margin: float,
) -> Plan:  # fmt: skip
    """The plan of the confirmation at `place`. `live`: by eval key, the scores of candidate and champion.

    The first eval that must improve is the one that is screened. Evals with two readings have a bar for their gap.
    """
    first = next(each.key for each in promised if each.kind == "improves")
    mine, theirs = live[first]
    shared = {each.sample: each.cluster or each.sample for each in mine.strict} | {
        each.sample: each.cluster or each.sample for each in theirs.strict
    }
    bars: list[Measured] = []
    for each in promised:
        bars.append(Measured(Bar(each.key, each.kind, each.margin, each.key), parts[each.key], fresh[each.key]))
        if each.kind == "improves" and live[each.key][0].lenient and live[each.key][1].lenient:
            gap = Bar(gap_name(each.key), "hack_gap", hack_margin, each.key)
            bars.append(Measured(gap, gap_parts[each.key], fresh[each.key]))
    return plan(wanted, place, Live(parts[first], len(shared), len(set(shared.values()))), bars)


def confirmation(
    plan: Plan, promise: Promise, *, checkpoint_id: str, champion_id: str, lineage: str, hack_margin: float
) -> Confirmation:
    """What the spec of fresh samples says of its bar, and of its hack gap, so that the log has the whole plan."""
    course = next(course for bar, course in plan.bars if bar.name == promise.key and bar.kind == promise.kind)
    gap = next((course for bar, course in plan.bars if bar.name == gap_name(promise.key)), None)
    return Confirmation(
        checkpoint_id=checkpoint_id,
        champion_id=champion_id,
        lineage=lineage,
        place=plan.place,
        bar=promise.kind,
        eval_key=promise.key,
        difference=plan.difference,
        power=round(plan.power, 9),
        level=course.level,
        margin=course.margin,
        hack_margin=hack_margin if gap else None,
        looks=course.samples,
        miss=course.miss,
        drift=course.drift,
        hack_looks=gap.samples if gap else (),
        hack_miss=gap.miss if gap else 0.0,
        hack_drift=gap.drift if gap else 0.0,
    )


def samples_of(confirms: Confirmation) -> int:
    """Fresh samples that the confirmation asks for."""
    return max((*confirms.looks, *confirms.hack_looks))


def plan_from(confirms: Sequence[Confirmation]) -> Plan:
    """The plan as the specs of one place have kept it: decided by, however long after it was made."""
    bars: list[tuple[Bar, Course]] = []
    for each in confirms:
        bars.append(
            (
                Bar(each.eval_key, each.bar, each.margin),
                Course(each.looks, each.level, each.miss, each.drift, each.margin),
            )
        )
        if each.hack_margin is not None:
            bars.append(
                (
                    Bar(gap_name(each.eval_key), "hack_gap", each.hack_margin),
                    Course(each.hack_looks, each.level, each.hack_miss, each.hack_drift, each.hack_margin),
                )
            )
    first = confirms[0]
    return Plan(first.place, first.level, first.difference, first.power, 1, None, tuple(bars))


def _noise(attempts: Sequence[Sequence[float]]) -> Floats:
    return of_attempts(
        [len(each) for each in attempts],
        [sum(each) for each in attempts],
        [sum(score * score for score in each) for each in attempts],
    )


def _by_sample(attempts: Sequence[Attempt]) -> dict[str, tuple[str, list[float]]]:
    found: dict[str, tuple[str, list[float]]] = {}
    for each in attempts:
        if each.score is not None:
            found.setdefault(each.sample, (each.cluster or f"={each.sample}", []))[1].append(each.score)
    return found
