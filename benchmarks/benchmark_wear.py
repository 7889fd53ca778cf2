"""What becomes of a benchmark's interval when an analyst submits by what it said before: ordinary ones beside ours.

    python -m benchmarks.benchmark_wear [--quick] [--json FILE]

10,000 analysts of each kind (1,000 with --quick), each with a fresh benchmark of 200 samples. Every submission is drawn
without sight of the samples, so that its true share right is known; what fools is what the analyst makes of answers.

alone      submits once
many       40 submissions of equal worth (70%); its last use asks the one that looked best once more
climber    changes a tenth of its best submission (70%) each time, and keeps what was told to be better
majority   39 coin flips; submits the majority of them, those turned round that were told to be below one half
           (Freedman 1983; the boosting attack of Blum and Hardt 2015)

Told is a number (every correct answer), a number rounded to 5 points (a look), or one bit: better than the best until
then. `told` bits count every difference above 0, which tells most; `flywheel bench run --against` says yes only beyond
chance.

naive_..., ours_...   share of 95% intervals of the last use that hold, by analyst and what it is told, after 40 uses
width_<uses>_<...>    width of our interval at 200 samples and a mean of one half
guard_cpu_s           to compare 100,000 rows of 100 words with 1,000 held-out samples
"""

import argparse
import json
import random
import string
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.wear import STEP, Uses, interval, spent, width
from text.held_out import Held, HeldOut

SEED: Final = 40
N: Final = 200
USES: Final = 40
SCALE: Final = round(1 / STEP)

Counts = NDArray[np.int64]
Right = NDArray[np.bool_]
"""(analysts, N): which samples a submission gets right."""
TOLD: Final = ("exact", "look", "bit")


class Last(NamedTuple):
    """The last submission of each of many analysts, and what it was told until then."""

    right: Counts
    """How many samples it gets right, by analyst."""
    truth: float
    decisions: int
    better: Counts
    looks: int


def alone(rng: np.random.Generator, runs: int, told: str) -> Last:
    """One submission, not chosen by anything."""
    return Last(rng.binomial(N, 0.7, runs), 0.7, 0, np.zeros(runs, np.int64), 0)


def many(rng: np.random.Generator, runs: int, told: str) -> Last:
    """The best looking of 39, once more."""
    right = rng.binomial(N, 0.7, (USES - 1, runs))
    if told != "bit":
        seen = right if told == "exact" else np.round(right * SCALE / N)
        best = seen.argmax(axis=0)
        return Last(right[best, np.arange(runs)], 0.7, 0, np.zeros(runs, np.int64), USES - 1)
    best: Counts = right[0]
    better: Counts = np.zeros(runs, np.int64)
    for other in right[1:]:
        yes = other > best
        best, better = np.where(yes, other, best), better + yes
    return Last(best, 0.7, USES - 2, better, 0)


def climber(rng: np.random.Generator, runs: int, told: str) -> Last:
    """Small changes that are kept when they were told to be better: their truth stays what it was."""
    best: Right = rng.random((runs, N)) < 0.7
    better: Counts = np.zeros(runs, np.int64)
    for _ in range(USES - 2):
        changed: Right = np.where(rng.random((runs, N)) < 0.1, rng.random((runs, N)) < 0.7, best)
        now: Counts = changed.sum(axis=1)
        was: Counts = best.sum(axis=1)
        yes: Right = np.round(now * SCALE / N) > np.round(was * SCALE / N) if told == "look" else now > was
        best, better = np.where(yes[:, None], changed, best), better + yes
    decisions, looks = (USES - 2, 0) if told == "bit" else (0, USES - 1)
    return Last(best.sum(axis=1), 0.7, decisions, better, looks)


def majority(rng: np.random.Generator, runs: int, told: str) -> Last:
    """Coin flips, each turned to the side that it was told to be on; their majority is no better than a coin."""
    votes: Counts = np.zeros((runs, N), np.int64)
    better: Counts = np.zeros(runs, np.int64)
    for _ in range(USES - 1):
        right = rng.random((runs, N)) < 0.5
        count: NDArray[np.float64] = right.sum(axis=1).astype(np.float64)
        if told == "look":
            count = np.round(count * SCALE / N) * N / SCALE
        yes = count > N / 2  # as a bit: better than a coin flip that is known to be one
        votes, better = votes + np.where(yes[:, None], right, ~right) * 2 - 1, better + yes
    decisions, looks = (USES - 1, 0) if told == "bit" else (0, USES - 1)
    return Last((votes > 0).sum(axis=1), 0.5, decisions, better, looks)


ANALYSTS: Final[dict[str, Callable[[np.random.Generator, int, str], Last]]] = {
    "alone": alone,
    "many": many,
    "climber": climber,
    "majority": majority,
}


def main() -> None:
    """Simulate, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="1,000 analysts of each kind")
    arguments = parser.parse_args()
    figures = widths() | analysts(1000 if arguments.quick else 10_000) | guarded()
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def widths() -> dict[str, float]:
    """How wide our intervals are, by uses and what each told."""
    figures: dict[str, float] = {}
    print(f"\nwidth of a 95% interval at {N} samples and a mean of one half, in points")
    print(f"{'uses':>5} {'decisions, none yes':>20} {'one yes':>8} {'three yes':>10} {'not noted':>10} {'looks':>6}")
    for uses in (1, 3, 10, 20, 40, 80):
        before = uses - 1
        kinds = {
            "no": Uses(decisions=before), "one": Uses(decisions=before, better=min(1, before)),
            "three": Uses(decisions=before, better=min(3, before)), "unsaid": Uses(unsaid=before),
            "looks": Uses(looks=before),
        }  # fmt: skip
        found = {name: 100 * width(N, spent(kind)) for name, kind in kinds.items()}
        print(
            f"{uses:5} {found['no']:20.1f} {found['one']:8.1f} {found['three']:10.1f} {found['unsaid']:10.1f} "
            f"{found['looks']:6.1f}"
        )
        if uses in (1, 10, 40):
            figures |= {f"width_{uses}_{name}": round(value / 100, 4) for name, value in found.items()}
    return figures


def analysts(runs: int) -> dict[str, float]:
    """How often intervals hold, by analyst and what it is told."""
    figures: dict[str, float] = {}
    print(f"\n{runs:,} analysts of each kind, the last of {USES} uses: share of 95% intervals that hold")
    print(f"{'analyst':9} {'told':6} {'too high by':>11} {'ordinary':>9} {'ours':>6} {'width':>6} {'ours':>6}")
    for name, analyst in ANALYSTS.items():
        for told in TOLD:
            if name == "alone" and told != "look":
                continue
            last = analyst(np.random.default_rng([SEED, len(name), TOLD.index(told)]), runs, told)
            naive, ours = held(last, told)
            bias = 100 * (last.right.mean() / N - last.truth)
            shown = f"{ours[0]:6.3f}" if told != "exact" else f"{'none':>6}"
            wide = f"{100 * ours[1]:6.1f}" if told != "exact" else f"{'':>6}"
            print(f"{name:9} {told:6} {bias:11.1f} {naive[0]:9.3f} {shown} {100 * naive[1]:6.1f} {wide}")
            figures[f"naive_{name}_{told}"] = round(naive[0], 4)
            if told != "exact":
                figures[f"ours_{name}_{told}"] = round(ours[0], 4)
    return figures


def held(last: Last, told: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """(share that hold, mean width) of ordinary intervals, and of ours."""
    counted, times = np.unique(np.stack([last.right, last.better]), axis=1, return_counts=True)
    found = np.zeros((2, 2))
    for (right, better), count in zip(counted.T.tolist(), times.tolist(), strict=True):
        uses = Uses(decisions=last.decisions, better=better if last.decisions else 0, looks=last.looks)
        for place, nats in enumerate((0.0, spent(uses))):
            low, high = interval(right, N, nats)
            found[place] += count * np.array([low <= last.truth <= high, high - low])
    shares = found / len(last.right)
    return (float(shares[0, 0]), float(shares[0, 1])), (float(shares[1, 0]), float(shares[1, 1]))


def guarded() -> dict[str, float]:
    """CPU of the guard over rows of made-up words; raises AssertionError where it misses what is planted."""
    rng = random.Random(SEED)
    vocabulary = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(20_000)]

    def text(words: int) -> str:
        return " ".join(rng.choices(vocabulary, k=words))

    held_out = [Held(f"held-{number}", (text(rng.randint(10, 200)),)) for number in range(1000)]
    rows = [(f"row-{number}", [text(rng.randint(20, 180))]) for number in range(100_000)]
    planted = {"row-77": f"{text(80)} {held_out[5].texts[0]} {text(90)}", "row-78": held_out[7].texts[0].upper()}
    rows = [(name, [planted.get(name, texts[0])]) for name, texts in rows]
    began = time.process_time()
    found = {match.row for match in HeldOut(held_out).matches(rows)}
    seconds = time.process_time() - began
    assert found == planted.keys(), found
    print(
        f"\nguard: {seconds:.1f} CPU-s for 100,000 rows of 100 words against 1,000 held-out samples, both planted found"
    )
    return {"guard_cpu_s": round(seconds, 2)}


if __name__ == "__main__":
    main()
