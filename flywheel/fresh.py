"""Where fresh samples come from: generators of behaviours, by a seed that nobody has used."""

import polars as pl

from evals.behaviours.generate import generate
from evals.behaviours.registry import behaviour
from flywheel.promotion import Drawn
from models.events.spec import EvalSpecIssued
from transforms.specs.sets import EPISODES

SCORER = "behaviour"


def fresh(issued: EvalSpecIssued, seed: str, number: int) -> Drawn | None:
    """`number` samples of the eval's behaviour, of its difficulty; None for evals that are no behaviour's.

    Raises TerminalError for a behaviour that there is not.
    """
    args = issued.spec.scorer.args
    if issued.spec.scorer.name != SCORER:
        return None
    hard = args.get("difficulty")
    found = generate(
        behaviour(str(args["behaviour"])), seed, number, float(hard) if isinstance(hard, int | float) else None
    )
    rows = [
        {"sample_id": each.sample_id, "mode_id": issued.spec.mode_id, "episode": each.model_dump_json()}
        for each in found
    ]
    return Drawn(pl.DataFrame(rows, schema=EPISODES), tuple(each.cluster for each in found))
