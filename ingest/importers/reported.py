"""What a leaderboard or a harness says of a model: one `EvalReported` a number."""

from datetime import datetime
from typing import Literal, NamedTuple

from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.result import EvalReported
from models.ids import event_id

Strictness = Literal["strict", "lenient"]


class Run(NamedTuple):
    """What the numbers of one run have in common."""

    source: str
    tool: str
    benchmark: str
    model: str
    occurred_at: datetime | None = None
    arm: str | None = None
    run_id: str | None = None
    step: int | None = None
    shots: int | None = None
    samples: int | None = None

    def says(
        self, metric: str, value: float, stderr: float | None = None, strictness: Strictness | None = None
    ) -> AnyEvent:
        """One number. Its id comes from where it stands in the tool and from what it is: a number that was mended is
        another event, and the newest counts."""
        place = (self.benchmark, self.model, self.arm, self.run_id, self.step, self.shots, metric, strictness)
        time = self.occurred_at.isoformat() if self.occurred_at else None
        return EvalReported(
            id=event_id(self.tool, *place, value, stderr, self.samples, time),
            source=self.source,
            occurred_at=self.occurred_at,
            benchmark=self.benchmark,
            model=self.model,
            metric=metric,
            value=value,
            stderr=stderr,
            strictness=strictness,
            step=self.step,
            arm=self.arm,
            shots=self.shots,
            samples=self.samples,
            run_id=self.run_id,
        )


def whole(cell: object) -> int | None:
    """A whole number in a cell; None for an empty one, and for what is none."""
    number = as_float(cell)
    return None if number is None or number != number // 1 else int(number)
