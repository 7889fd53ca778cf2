"""What a candidate promised: the evals that must improve, those that must not fall, and the hack gap of each."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ingest.jobs.board import Board
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from models.events.spec import EvalSpecIssued
from models.specs import TrainingSpec

HACK_MARGIN = 0.05
"""By how much lenient less strict may grow where nobody says."""

PRIVATE = "bench:"
"""How the keys of private benchmarks begin."""
TASKS = "task_tests"
"""The scorer of evals whose samples are tasks."""


class Promise(NamedTuple):
    """One bar of a promotion, on one live eval."""

    kind: Literal["improves", "does_not_fall"]
    issued: EvalSpecIssued
    margin: float = 0.0

    @property
    def key(self) -> str:
        """The eval's key."""
        return self.issued.spec_key


def promises(
    board: Board, checkpoint: CheckpointRegistered, improve: Sequence[str] = (), fall: Mapping[str, float] | None = None
) -> list[Promise]:
    """The bars of the training spec that made `checkpoint`; `improve` and `fall` (margin by key) add to them.

    Raises TerminalError where nothing is said to improve, and for an eval that is not live, is of another role, or is
    asked in another way (private benchmarks, tasks).
    """
    issued = board.specs.get(checkpoint.spec_id) if checkpoint.spec_id else None
    spec = issued.spec if issued else None
    must = {guard.eval_key: guard.margin for guard in spec.must_not_fall} if isinstance(spec, TrainingSpec) else {}
    better = [*(spec.must_improve if isinstance(spec, TrainingSpec) else ()), *improve]
    if not better:
        raise TerminalError(
            f"nothing says what {checkpoint.checkpoint_id} must improve: no training spec made it. Name an eval: "
            "--improve KEY (flywheel specs lists the keys)"
        )
    # What must improve has not fallen: one bar, not two on the same samples.
    guards = {key: margin for key, margin in {**must, **(fall or {})}.items() if key not in better}
    live = _live(board)
    return [
        *(Promise("improves", _eval(live, key, checkpoint)) for key in dict.fromkeys(better)),
        *(Promise("does_not_fall", _eval(live, key, checkpoint), margin) for key, margin in guards.items()),
    ]


def _live(board: Board) -> dict[str, EvalSpecIssued]:
    found: dict[str, EvalSpecIssued] = {}
    for event in board.specs.values():
        if not isinstance(event, EvalSpecIssued) or event.spec.confirms or event.spec_id in board.retired:
            continue
        known = found.get(event.spec_key)
        if known is None or event.revision > known.revision:
            found[event.spec_key] = event
    return found


def _eval(live: Mapping[str, EvalSpecIssued], key: str, checkpoint: CheckpointRegistered) -> EvalSpecIssued:
    found = live.get(key)
    if found is None:
        raise TerminalError(f"there is no live eval {key!r}; live: {', '.join(sorted(live)) or 'none'}")
    if key.startswith(PRIVATE):
        raise TerminalError(
            f"{key} is a private benchmark, which each answer wears: flywheel bench run --against says yes or no, and "
            "counts it"
        )
    if found.spec.scorer.name == TASKS:
        raise TerminalError(
            f"{key} is of tasks, which an agent attempts and no eval worker asks: it can't be a bar of a promotion yet"
        )
    if found.spec.role != checkpoint.role:
        raise TerminalError(
            f"the eval {key} is of a {found.spec.role}, and {checkpoint.checkpoint_id} is a {checkpoint.role}"
        )
    return found
