"""Events of experiments that pages must stand, beside the sample's: without data, with one arm, with lost units."""

from collections.abc import Iterator
from datetime import timedelta

from flywheel.sample.experiment import BEGAN, DAYS, ID
from models.events import AnyEvent
from models.events.experiment import ExperimentStarted, ExposureLogged, MetricObserved, Plan, Variant

__all__ = ["DAYS", "EMPTY", "EXPOSED", "ID", "LOST", "ONE_ARM", "experiment_events"]

EMPTY, ONE_ARM, LOST = "not-begun", "one-arm", "case-51"

EXPOSED = {ONE_ARM: {"A": 40}, LOST: {"A": 1_090, "B": 4_670, "C": 4_240}}
"""Units by variant. Case 51: arms of 10.9, 46.7 and 42.4 percent where 10, 45 and 45 were planned."""

WEIGHTS = {EMPTY: (1, 1), ONE_ARM: (1, 1), LOST: (10, 45, 45)}


def experiment_events() -> Iterator[AnyEvent]:
    """They run beside the sample's experiment, and are never stopped."""
    for name, weights in WEIGHTS.items():
        arms = tuple(Variant(name=arm, weight=weight) for arm, weight in zip("ABC", weights, strict=False))
        plan = Plan(metric="accept_rate", guardrails=("latency_p95",), effect=0.01, units=24_000, days=28)
        yield ExperimentStarted(
            id=f"started-{name}", source="tests", occurred_at=BEGAN, experiment_id=name, variants=arms, plan=plan
        )
        for variant, units in EXPOSED.get(name, {}).items():
            for number in range(units):
                person, moment = f"{name}-{variant}-{number}", BEGAN + timedelta(minutes=number)
                yield ExposureLogged(
                    id=f"exposed-{person}", source="tests", occurred_at=moment, experiment_id=name, variant=variant,
                    person_id=person,
                )  # fmt: skip
                if number < 40:
                    yield MetricObserved(
                        id=f"accepted-{person}", source="tests", occurred_at=moment + timedelta(minutes=1),
                        metric="accepted", value=number % 2, person_id=person,
                    )  # fmt: skip
