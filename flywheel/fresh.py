"""Where fresh samples come from: generators of behaviours, by a seed that nobody has used."""

from evals.behaviours.sample import BehaviourSample
from flywheel.behaviour_specs import rows, samples_for
from flywheel.promotion import Drawn
from models.events.spec import EvalSpecIssued
from transforms.specs.publish import BEHAVIOUR


def fresh(issued: EvalSpecIssued, seed: str, number: int) -> Drawn | None:
    """`number` samples of the eval's behaviours, of its difficulty; None for evals that are no behaviour's.

    Raises TerminalError for a behaviour that there is not.
    """
    args = issued.spec.scorer.args
    if issued.spec.scorer.name != BEHAVIOUR:
        return None
    names = str(args["behaviour"]).split("+")
    found = mixed(samples_for(f"{issued.spec_key}/{seed}", names, number, difficulty_of(issued)), len(names))
    return Drawn(rows(found, issued.spec.mode_id), tuple(each.sample_id for each in found))


def difficulty_of(issued: EvalSpecIssued) -> float | None:
    """What the eval's dial stands at; None: samples of all difficulties in turn."""
    hard = issued.spec.scorer.args.get("difficulty")
    return float(hard) if isinstance(hard, int | float) else None


def mixed(samples: list[BehaviourSample], behaviours: int) -> list[BehaviourSample]:
    """The same samples with the behaviours in turn, so that every part of them has of each."""
    share = -(-len(samples) // behaviours)
    parts = [samples[place : place + share] for place in range(0, len(samples), share)]
    return [part[place] for place in range(share) for part in parts if place < len(part)]
