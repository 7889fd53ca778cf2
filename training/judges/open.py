"""From a checkpoint's id to a judge that can be asked."""

from typing import TYPE_CHECKING

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog
from ingest.vectors import HomeEmbedder
from models.errors import TerminalError
from models.protocols import Judge, OpenJudge
from training.judges import find

if TYPE_CHECKING:
    from training.judges.network import Embedder


def open_judge(home: Home, log: EventLog, embedder: "Embedder | None" = None) -> OpenJudge:
    """Opens the judges that are registered on `log`, with their files in `home`; the last one stays loaded.

    `embedder` stands in for the one that a judge was trained with, and must be equal to it.
    """
    board = Board(log)
    loaded: dict[str, Judge] = {}

    def opened(checkpoint_id: str) -> Judge:
        if checkpoint_id not in loaded:
            board.refresh()
            registered = board.checkpoints.get(checkpoint_id)
            if registered is None:
                known = ", ".join(sorted(id_ for id_, each in board.checkpoints.items() if each.role == "judge"))
                raise TerminalError(f"No judge {checkpoint_id!r} counts on this log; known: {known or 'none'}.")
            folder = home.path / (registered.path or "")
            judge = find(registered)(registered, folder, lambda: embedder or HomeEmbedder(home))
            loaded.clear()
            loaded[checkpoint_id] = judge
        return loaded[checkpoint_id]

    return opened
