"""Two checkpoints on the evals that both have done: the marts' samples into a paired comparison. One look; no decision.

Of several looks of one checkpoint at a spec the newest counts.
"""

import math
from typing import NamedTuple

from flywheel.report.page import rows_of
from ingest.home import Home
from ingest.reader import Ask, reading
from models.errors import TerminalError
from stats.paired import Attempt, paired


class Comparison(NamedTuple):
    """On one eval: candidate less other, over the samples that both have a score for."""

    spec_key: str
    spec_id: str
    candidate: float | None
    """None, as the rest, where there is no pair."""
    other: float | None
    difference: float | None
    low: float | None
    """Of the 95% interval; None where nothing is known of how clusters differ."""
    high: float | None
    p: float | None
    pairs: int
    clusters: int
    left_out: int
    """Samples that one side, or both, have no score for."""


def compared(home: Home, candidate: str, other: str, spec: str | None = None) -> list[Comparison]:
    """One comparison for each eval that both have done, by its key.

    Raises TerminalError where there is none, naming what the published build has.
    """
    with reading(home) as ask:
        evals = {
            name: {str(row["spec_id"]): row for row in rows_of(ask, NEWEST, [name, spec, spec, spec])}
            for name in (candidate, other)
        }
        shared = sorted(evals[candidate].keys() & evals[other].keys(), key=lambda each: evals[other][each]["spec_key"])
        if not shared:
            raise TerminalError(_nothing(ask, candidate, other, spec))
        return [
            _one(ask, evals[candidate][each]["spec_key"], each, evals[candidate][each], evals[other][each])
            for each in shared
        ]


def _one(ask: Ask, key: str, spec_id: str, mine: dict[str, object], its: dict[str, object]) -> Comparison:
    its_attempts, other_attempts = ([Attempt(*row) for row in ask(SCORES, [job["job_id"]]).rows] for job in (mine, its))
    found = paired(its_attempts, other_attempts)
    left_out = found.only_candidate + found.only_other + found.neither
    if not found.pairs:
        return Comparison(key, spec_id, None, None, None, None, None, None, 0, 0, left_out)
    known = math.isfinite(found.low)
    return Comparison(
        key, spec_id, found.candidate, found.other, found.difference, found.low if known else None,
        found.high if known else None, found.p if known else None, found.pairs, found.clusters, left_out,
    )  # fmt: skip


def _nothing(ask: Ask, candidate: str, other: str, spec: str | None) -> str:
    done = ask("select distinct checkpoint_id from fct_eval_results order by 1").rows
    names = ", ".join(str(name) for (name,) in done) or "none: flywheel evals serve --once"
    on = f" {spec}" if spec else ""
    return (
        f"the published build holds no eval{on} that both {candidate} and {other} have done; checkpoints with results: "
        f"{names}"
    )


NEWEST = """
select spec_id, coalesce(spec_key, spec_id) as spec_key, job_id from fct_eval_results
where checkpoint_id = ? and (? is null or spec_key = ? or spec_id = ?)
qualify row_number() over (partition by spec_id order by completed_at desc, job_id) = 1
"""

SCORES = "select sample_id, score, cluster from fct_eval_samples where job_id = ? order by sample_id, trial"
