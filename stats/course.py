"""One comparison as it was planned: how many samples by which look, and how much it may err either way."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from scipy.special import ndtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.boundaries import bounds
from stats.margin import score
from stats.paired import Difference

State = Literal["shown", "futile", "open", "short"]
"""`shown`: beyond the upper bound. `futile`: below the lower one, so that going on would hardly help. `open`: between
them, and more is to come. `short`: between them at the end."""


class Course(NamedTuple):
    """What a comparison is looked at with. A difference of -margin or less is what it must not take for more."""

    samples: tuple[int, ...]
    """Planned by each look, increasing."""
    level: float
    """The chance to be shown where there is nothing to show, all looks together."""
    miss: float
    """The chance to be missed where the planned effect is there."""
    drift: float
    """The mean of z at the end under the planned effect."""
    margin: float = 0.0


class Standing(NamedTuple):
    """Where a comparison stands after its last look."""

    state: State
    z: float
    upper: float
    lower: float
    last: Difference
    low: float
    """The repeated interval: such ends hold at all looks together, each side at the level of the course."""
    high: float


def follow(course: Course, looks: Sequence[Difference]) -> Standing:
    """Where the comparison stands; the first bound that was crossed holds, whatever came after it.

    The end is the look at which all planned samples are there, or the last planned look with what there is (pairs may
    be missing); looks after it are not read, nor one that has no more samples than the one before. Raises ValueError
    for no look.
    """
    if not looks:
        raise ValueError("no look, nothing to follow")
    planned = course.samples[-1]
    looks = [look for number, look in enumerate(looks) if not number or look.samples > looks[number - 1].samples]
    shares = [look.samples / planned for look in looks[: len(course.samples)]]
    full = next((number for number, share in enumerate(shares) if share >= 1), len(course.samples) - 1)
    shares = shares[: full + 1]
    ended = len(shares) == full + 1
    limits = bounds(tuple(shares if ended else [*shares, 1.0]), course.level, course.miss, course.drift)
    standing: Standing | None = None
    for number, look in enumerate(looks[: len(shares)]):
        upper, lower = limits.upper[number], limits.lower[number]
        z = score(look, course.margin)
        state: State = "shown" if z >= upper else "open"
        if state == "open" and ended and number == full:
            state = "short"
        elif state == "open" and z <= lower:
            state = "futile"
        wide = -float(stdtrit(look.df, ndtr(-upper))) * look.se
        standing = Standing(state, z, upper, lower, look, look.value - wide, look.value + wide)
        if state in ("shown", "futile"):
            break
    assert standing, "there is a look"
    return standing
