"""Who is champion, and how much error the candidates against him have spent: folded from the log."""

from typing import NamedTuple

from ingest.jobs.board import Board
from models.events.checkpoint import CheckpointPromoted
from models.events.spec import EvalSpecIssued
from models.roles import Role
from stats.lineage import spent


class Standing(NamedTuple):
    """A role's lineage as of now."""

    champion_id: str | None
    lineage: str
    """`role/number of promotions`: a promotion ends one lineage and begins the next."""
    opened: int
    """Confirmations that were opened in it."""

    @property
    def spent(self) -> float:
        """Error that it has spent."""
        return spent(self.opened)


def standing(board: Board, role: Role) -> Standing:
    """Where `role` stands after the last refresh of `board`."""
    promotions = [each for each in board.decisions if isinstance(each, CheckpointPromoted) and each.role == role]
    lineage = f"{role}/{len(promotions)}"
    return Standing(
        promotions[-1].checkpoint_id if promotions else None,
        lineage,
        max((event.spec.confirms.place for event in confirmations(board, lineage) if event.spec.confirms), default=0),
    )


def confirmations(board: Board, lineage: str, checkpoint_id: str | None = None) -> list[EvalSpecIssued]:
    """Specs that confirm candidates of `lineage` (or one of them), in the order of issue: each took its place then."""
    return [
        event
        for event in board.specs.values()
        if isinstance(event, EvalSpecIssued)
        and event.spec.confirms is not None
        and event.spec.confirms.lineage == lineage
        and checkpoint_id in (None, event.spec.confirms.checkpoint_id)
    ]


def standing_of(board: Board, checkpoint_id: str, now: Standing) -> str:
    """champion, former champion, refused or candidate: what was decided last about a checkpoint of that role."""
    if checkpoint_id == now.champion_id:
        return "champion"
    decided = [each for each in board.decisions if each.checkpoint_id == checkpoint_id]
    if not decided:
        return "candidate"
    return "former champion" if isinstance(decided[-1], CheckpointPromoted) else "refused"
