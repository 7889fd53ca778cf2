"""An experiment between the sample's two checkpoints: who met which, what they were answered, and what they took over.

Two weeks after the sample's own, so that nothing of it meets the feedback there. The same seed gives the same events.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from flywheel_client import Share, assigned
from models.events import AnyEvent
from models.events.experiment import ExperimentStarted, ExperimentStopped, ExposureLogged, MetricObserved, Plan, Variant
from models.events.response import ResponseServed

ID = "obeys-more"
BEGAN = datetime(2025, 6, 24, tzinfo=UTC)
DAYS = 14
PEOPLE = 2_400
WEB, IDE = "assistant/web", "assistant/ide"
ARMS = {"A": "assistant-a", "B": "assistant-b"}
ACCEPTED = {"A": 0.30, "B": 0.36}
"""How often a person of an arm takes an answer over, in the mean."""
SLOWER = {"A": 1.0, "B": 1.02}
CROSSED = 12
"""People who meet both variants: a second device that doesn't know them."""
NOBODY = 3
"""Exposures of an id that everybody has whom the product doesn't know."""
LANGUAGES = ("en", "en", "en", "en", "de", "de", "ar")


def experiment_events(seed: int = 0) -> list[AnyEvent]:
    """About 20,000 events, in the order in which they happened."""
    started = ExperimentStarted(
        id=f"started-{ID}", source="flywheel", occurred_at=BEGAN, experiment_id=ID,
        variants=tuple(Variant(name=arm, weight=1, checkpoint_id=checkpoint) for arm, checkpoint in ARMS.items()),
        hypothesis="Who is obeyed more often takes answers over more often",
        plan=Plan(
            metric="accept_rate", guardrails=("latency_p95", "cost_per_answer"), effect=0.05, units=PEOPLE, days=DAYS
        ),
    )  # fmt: skip
    stopped = ExperimentStopped(
        id=f"stopped-{ID}", source="flywheel", occurred_at=BEGAN + timedelta(days=DAYS), experiment_id=ID,
        reason="the plan has ended",
    )  # fmt: skip
    met = [event for number in range(PEOPLE) for event in _person(Random(f"{seed}|{number}"), number)]
    return [started, *sorted([*met, stopped], key=lambda event: event.occurred_at or BEGAN)]


def _person(random: Random, number: int) -> Iterator[AnyEvent]:
    """One person's days: some come once, some every day; who accepts much does so every time."""
    person = f"visitor-{number:05}"
    variant = assigned(person, ID, [Share("A", 1), Share("B", 1)])
    moment = BEGAN + timedelta(seconds=random.uniform(0, (DAYS - 1) * 86_400))
    place, language = random.choice((WEB, WEB, IDE)), random.choice(LANGUAGES)
    share, again = ACCEPTED[variant] * random.uniform(0.5, 1.5), random.random() ** 2
    audience = "internal" if random.random() < 0.1 else "external"
    for turn in range(12):
        told = f"x-{number:05}-{turn}"
        yield ResponseServed(
            id=told, source=place, occurred_at=moment, response_id=told, person_id=person, experiment_id=ID,
            model=ARMS[variant], checkpoint_id=ARMS[variant], variant=variant, audience=audience, language=language,
            latency_ms=round(random.lognormvariate(7.5, 0.6) * SLOWER[variant], 1),
            cost_usd=round(random.lognormvariate(-4.5, 0.8), 6),
        )  # fmt: skip
        if turn == 0:
            yield _exposed(place, variant, moment, number, person_id=person, response_id=told)
            if number < CROSSED:
                other = "B" if variant == "A" else "A"
                yield _exposed(place, other, moment + timedelta(hours=1), number, person_id=person)
            elif number < CROSSED + NOBODY:
                yield _exposed(place, variant, moment, number, anonymous_id="undefined")
        yield MetricObserved(
            id=f"accepted-{told}", source=place, occurred_at=moment + timedelta(minutes=1), metric="accepted",
            value=float(random.random() < share), person_id=person, response_id=told,
        )  # fmt: skip
        moment += timedelta(seconds=random.uniform(1_000, 86_400))
        if random.random() > again or moment > BEGAN + timedelta(days=DAYS):
            return


def _exposed(place: str, variant: str, moment: datetime, number: int, **who: Any) -> ExposureLogged:
    named = f"exposed-{number:05}-{variant}" + ("-unknown" if "anonymous_id" in who else "")
    return ExposureLogged(id=named, source=place, occurred_at=moment, experiment_id=ID, variant=variant, **who)
