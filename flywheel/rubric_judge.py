"""A checkpoint as the judge of rubrics: asked a question about what was said, it answers yes or no, if it may gate.

It is asked as a policy is (`policies.yml`, or its folder). Whether it may gate is read once, from the published build.
Left out: scores of its own, by which it would be calibrated; they come as any other's, by `ScoreGiven` with its id.
"""

from evals.policies.open import open_policy
from flywheel.judges import calibrations
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog
from models.errors import TerminalError
from models.events.rollout import Step
from transforms.judges.calibration import LABELS

SECONDS = 120.0
ASKED = (
    "Below is what an assistant said. Answer the question about it with the one word yes or no.\n\n"
    "Question: {question}\n\nWhat was said:\n{text}"
)


class GatingRubricJudge:
    """See `evals.behaviours.rubric.RubricJudge`.

    Raises TerminalError for a checkpoint that there is not or can't be asked, FlywheelError before the first build.
    """

    def __init__(self, home: Home, log: EventLog, checkpoint_id: str) -> None:
        board = Board(log)
        board.refresh()
        registered = board.checkpoints.get(checkpoint_id)
        if registered is None:
            raise TerminalError(f"there is no checkpoint {checkpoint_id!r} to judge by: flywheel evals register")
        self.judge_id, self.judge_version = checkpoint_id, registered.version
        self.lacks = _lacks(home, board, checkpoint_id, registered.version)
        self._policy = None if self.lacks else open_policy(home, registered)

    def answer(self, question: str, text: str) -> str:
        """Its word, in lower case. Raises TerminalError where it may not gate, and as the policy does."""
        if self._policy is None:
            raise TerminalError(f"it may not gate: {self.lacks}")
        asked = Step(role="user", text=ASKED.format(question=question, text=text))
        reply = self._policy.at("rubric", 0).reply([asked], [], SECONDS)
        return (reply.text or "").strip().strip(".!").lower()

    def close(self) -> None:
        """Give back what it holds."""
        if self._policy is not None:
            self._policy.close()


def _lacks(home: Home, board: Board, judge_id: str, version: str) -> str | None:
    """What a judge lacks to gate; None: nothing."""
    if judge_id in board.withdrawn:
        return f"it was withdrawn: {board.withdrawn[judge_id]}"
    rows = [row for row in calibrations(home) if (row["judge_id"], row["judge_version"]) == (judge_id, version)]
    if any(row["may_gate"] for row in rows):
        return None
    return "; ".join(f"{row['metric']}: {row['reason']}" for row in rows) or f"0 of {LABELS} human labels"
