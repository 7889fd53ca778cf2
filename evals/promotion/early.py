"""When a live eval has said enough of a candidate: it is unlikely to be as much better as it promised.

Of evals that its training spec says it must improve, once the champion has a result: what a screen looks at anyhow. It
stops for futility alone; whether the candidate is better is for a confirmation to say.
"""

from collections.abc import Mapping, Sequence

from evals.promotion.planning import USUAL
from evals.promotion.scores import looks_of, scores
from evals.promotion.standing import standing
from evals.run import Enough
from ingest.jobs.board import Board
from models.events.spec import EvalSpecIssued
from models.specs import TrainingSpec
from stats.course import follow
from stats.gate_plan import Live, Wanted, screen_course
from stats.paired import Attempt


def enough_of(board: Board, issued: EvalSpecIssued, checkpoint_id: str, wanted: Wanted | None = None) -> Enough | None:
    """The rule for one job; None where every sample is to be asked."""
    spec, checkpoint = issued.spec, board.checkpoints.get(checkpoint_id)
    made_by = board.specs.get(checkpoint.spec_id) if checkpoint and checkpoint.spec_id else None
    promise = made_by.spec if made_by else None
    champion_id = standing(board, spec.role).champion_id
    if spec.confirms or champion_id in (None, checkpoint_id) or not isinstance(promise, TrainingSpec):
        return None
    if issued.spec_key not in promise.must_improve:
        return None
    found = scores(board, {(issued.spec_id, str(champion_id))})
    if not found:
        return None
    theirs = next(iter(found.values())).strict
    cluster = {each.sample: each.cluster for each in theirs}
    names = {each.cluster or each.sample for each in theirs}
    course = screen_course(wanted or Wanted(), Live(USUAL, len(cluster), len(names)))
    if course is None:
        return None

    def enough(scored: Mapping[str, Sequence[float]]) -> bool:
        # Samples are asked in the order of their ids, a few of them at once: a look is of those before the first gap.
        mine = [Attempt(name, score, cluster.get(name)) for name, tried in scored.items() for score in tried]
        due = [number for number in course.samples if number <= len(scored)]
        seen = looks_of(mine, theirs, due, sorted(cluster))
        return bool(seen) and follow(course, seen).state == "futile"

    return enough
