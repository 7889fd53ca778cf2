"""How far an eval is: which attempts are over, their scores, what they took. Saved whenever some are finished.

Attempts have a number: `trial * samples + place of the sample`, so that every sample is tried once before any is tried
twice. They finish in any order. Pure; JSON in and out.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast

from evals.outcome import Outcome

OPEN, SCORED, ERRORED, LEFT_OUT = ".", "s", "e", "-"
Mark = Literal[".", "s", "e", "-"]
VERSION = 2


class Progress:
    """The attempts of one job: `samples` times `trials`."""

    def __init__(self, samples: int, trials: int = 1) -> None:
        self.samples, self.trials = samples, trials
        self.marks: list[str] = [OPEN] * (samples * trials)
        self.scores: dict[int, float] = {}
        """Attempt -> score."""
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.usd: float | None = None
        """Of the replies that said what they took; None: none did."""
        self.unasked = 0
        self.last: list[str] = []
        """The events of the attempts that were added last, as JSON: who goes on from here appends them again."""

    @property
    def done(self) -> int:
        """Attempts that are over."""
        return len(self.marks) - self.marks.count(OPEN)

    @property
    def errored(self) -> int:
        """Those that have no score, and a reason."""
        return self.marks.count(ERRORED)

    def open(self) -> Iterator[int]:
        """The attempts that are not over, least first."""
        return (number for number, mark in enumerate(self.marks) if mark == OPEN)

    def add(self, number: int, outcome: Outcome) -> None:
        """Attempt `number` is over."""
        usage = outcome.usage
        self.prompt_tokens = _sum(self.prompt_tokens, usage.prompt_tokens)
        self.completion_tokens = _sum(self.completion_tokens, usage.completion_tokens)
        self.usd = _sum(self.usd, usage.usd)
        self.unasked += outcome.fault == "budget"
        if outcome.score is not None:
            self.marks[number] = SCORED
            self.scores[number] = outcome.score.value
        else:
            self.marks[number] = LEFT_OUT if outcome.fault is None else ERRORED

    def dump(self) -> bytes:
        """As JSON."""
        return json.dumps(
            {
                "version": VERSION,
                "marks": "".join(self.marks),
                "scores": [self.scores[number] for number in sorted(self.scores)],
                "used": [self.prompt_tokens, self.completion_tokens, self.usd],
                "unasked": self.unasked,
                "last": self.last,
            }
        ).encode()


def load(content: bytes, samples: int, trials: int = 1) -> Progress:
    """What `dump` gave. An empty progress where `content` is of other samples, or of a former version."""
    fresh = Progress(samples, trials)
    said: Any = json.loads(content)
    if not isinstance(said, dict):
        return fresh
    kept = cast("dict[str, Any]", said)
    marks = str(kept.get("marks"))
    if kept.get("version") != VERSION or len(marks) != len(fresh.marks):
        return fresh
    fresh.marks = list(marks)
    fresh.scores = dict(
        zip((number for number, mark in enumerate(marks) if mark == SCORED), kept["scores"], strict=True)
    )
    fresh.prompt_tokens, fresh.completion_tokens, fresh.usd = kept["used"]
    fresh.unasked, fresh.last = kept["unasked"], list(kept["last"])
    return fresh


def by_sample(progress: Progress) -> dict[int, list[float]]:
    """Place of the sample -> scores of its attempts; samples without any are left out."""
    found: dict[int, list[float]] = {}
    for number in sorted(progress.scores):
        found.setdefault(number % progress.samples, []).append(progress.scores[number])
    return found


def chunks(numbers: Iterable[int], size: int) -> Iterator[Sequence[int]]:
    """`numbers` in parts of `size`."""
    part: list[int] = []
    for number in numbers:
        part.append(number)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def _sum(so_far: Any, more: Any) -> Any:
    return more if so_far is None else so_far if more is None else so_far + more
