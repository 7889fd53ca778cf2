"""The sample's experiment: the same every time, as long as it says, and onto a log once."""

from collections import Counter, defaultdict
from pathlib import Path

from flywheel.sample import experiment_events, feed_experiment
from flywheel.sample.experiment import CROSSED, NOBODY, PEOPLE
from ingest.log import open_log
from models.events.experiment import ExposureLogged, MetricObserved
from models.events.response import ResponseServed


def test_the_same_seed_gives_the_same_events_and_ids_are_their_own() -> None:
    events = experiment_events()
    assert events == experiment_events()
    assert events != experiment_events(1)
    assert len({(event.source, event.id) for event in events}) == len(events)
    moments = [event.occurred_at for event in events if event.occurred_at]
    assert len(moments) == len(events)
    assert moments == sorted(moments)


def test_everybody_meets_one_variant_but_those_who_meet_two() -> None:
    met: dict[str, set[str]] = defaultdict(set)
    unknown = 0
    for event in experiment_events():
        if isinstance(event, ExposureLogged):
            unknown += event.person_id is None
            if event.person_id:
                met[event.person_id].add(event.variant)
    assert len(met) == PEOPLE
    assert unknown == NOBODY
    assert sum(len(variants) == 2 for variants in met.values()) == CROSSED
    sizes = Counter(min(variants) for variants in met.values() if len(variants) == 1)
    assert abs(sizes["A"] - sizes["B"]) < 4 * PEOPLE**0.5


def test_each_answer_is_measured_after_it_was_served() -> None:
    served = {event.response_id: event for event in experiment_events() if isinstance(event, ResponseServed)}
    measured = [event for event in experiment_events() if isinstance(event, MetricObserved)]
    assert len(measured) == len(served)
    for event in measured:
        answer = served[str(event.response_id)]
        assert event.occurred_at and answer.occurred_at and event.occurred_at > answer.occurred_at
        assert event.person_id == answer.person_id


def test_it_is_fed_once_and_after_a_feed_that_broke_off_the_rest(tmp_path: Path) -> None:
    with open_log(None, tmp_path) as log:
        fed = feed_experiment(log)
        assert fed == len(experiment_events())
        assert feed_experiment(log) == 0
