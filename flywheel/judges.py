"""Judges that gate: those that people agree with, and taking out of use those that they don't agree with any more."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog, publish
from ingest.reader import query
from models.errors import TerminalError
from models.events.checkpoint import JudgeWithdrawn
from models.ids import event_id
from models.protocols import Judge, OpenJudge
from training.judges.open import open_judge

SOURCE = "flywheel/judges"
CALIBRATION = "select * from fct_judge_calibration order by judge_id, judge_version, metric"

Row = dict[str, Any]


class Checked(NamedTuple):
    """What a check found of one judge."""

    judge_id: str
    reason: str
    is_withdrawn: bool
    """By this check: its event was appended."""


def calibrations(home: Home) -> list[Row]:
    """`fct_judge_calibration` of the published build. Raises FlywheelError before the first."""
    found = query(home, CALIBRATION)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def check(home: Home, log: EventLog, *, dry_run: bool = False) -> list[Checked]:
    """Withdraw every judge that has drifted, that never agreed with people, or that gates without enough labels.

    Of several metrics of one judge the first that speaks against it counts. A judge that merely has too few labels yet
    is left alone: it doesn't gate. Checking twice appends nothing.
    """
    board = Board(log)
    board.refresh()
    found: list[Checked] = []
    seen = set(board.withdrawn)
    new: list[JudgeWithdrawn] = []
    for row in calibrations(home):
        judge_id, reason = str(row["judge_id"]), against(row)
        if reason is None or judge_id in seen:
            continue
        seen.add(judge_id)
        found.append(Checked(judge_id, reason, not dry_run))
        new.append(
            JudgeWithdrawn(
                id=event_id("judge_withdrawn", judge_id, reason), source=SOURCE, checkpoint_id=judge_id, reason=reason
            )
        )
    if not dry_run:
        publish(log, new)
    return found


def against(row: Mapping[str, Any]) -> str | None:
    """What speaks against a judge being in use, by a row of its calibration; None: nothing does."""
    what = f"{row['metric']}: {row['reason']}"
    if row["withdrawn_at"] is not None or row["may_gate"]:
        return None
    if row["drifted_at"] is not None:
        return what
    # The first 200 labels have decided; or it has had a say, and has lost the labels that it was let in by.
    return what if "human labels" not in row["reason"] or row["samples_gated"] else None


def gating_judge(home: Home, log: EventLog) -> OpenJudge:
    """Opens judges that may gate, as the published build and the log have them; TerminalError says what one lacks."""
    opened = open_judge(home, log)

    def gating(checkpoint_id: str) -> Judge:
        board = Board(log)
        board.refresh(["checkpoints"])
        if checkpoint_id in board.withdrawn:
            raise TerminalError(f"judge {checkpoint_id} was withdrawn: {board.withdrawn[checkpoint_id]}")
        rows = [row for row in calibrations(home) if row["judge_id"] == checkpoint_id]
        if not any(row["may_gate"] for row in rows):
            lacks = "; ".join(f"{row['metric']}: {row['reason']}" for row in rows) or "nothing is known of it yet"
            raise TerminalError(
                f"judge {checkpoint_id} may not gate: {lacks}. flywheel judges list shows all; people's votes and "
                "flywheel modes label make labels"
            )
        return opened(checkpoint_id)

    return gating
