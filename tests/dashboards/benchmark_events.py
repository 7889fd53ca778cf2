"""Events of private benchmarks that pages must stand: one that is fresh, one that many looks have worn."""

from collections.abc import Iterator

from models.events import AnyEvent
from models.events.benchmark import BenchmarkFrozen, BenchmarkUsed

FRESH, WORN = "support-desk", "old-bugs"


def benchmark_events() -> Iterator[AnyEvent]:
    """No set lies behind them: pages read what the log says."""
    for name, digest in ((FRESH, "a" * 64), (WORN, "b" * 64)):
        yield BenchmarkFrozen(
            id=f"frozen-{name}", source="tests", benchmark=name, version=1, samples=200, clusters=40, sha256=digest,
            effective=200.0,
        )  # fmt: skip
    for number in range(12):
        yield BenchmarkUsed(
            id=f"used-{number}", source="tests", benchmark=WORN, version=1, checkpoint_id="assistant-a", purpose="look"
        )
    yield BenchmarkUsed(
        id="used-fresh", source="tests", benchmark=FRESH, version=1, checkpoint_id="assistant-b", purpose="decision",
        better=False,
    )  # fmt: skip
