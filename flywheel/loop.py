"""The stages of the loop, composed: what the commands and the demo both call."""

from collections.abc import Container, Sequence

from evals.agents.agent import Agent
from evals.policies.open import Opener, is_recorded
from evals.promotion.early import enough_of
from evals.serve import Opened, OpenPolicy, Options, run_eval, run_judging
from evals.tasks.serve import run_attempts
from flywheel.behaviour_specs import behaviour_candidates
from flywheel.held_out import held_out_guard
from flywheel.retirement import retire_spent
from flywheel.rubric_judge import GatingRubricJudge
from ingest.home import Home
from ingest.jobs.attempt import Attempt, Tell
from ingest.jobs.board import Board
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Run, Served, serve
from ingest.log import EventLog
from models.errors import TerminalError
from models.events.job import JobKind
from models.events.spec import EvalSpecIssued
from training.judges.lexicon import BASELINE
from training.judges.open import open_judge
from training.serve import run_training
from transforms.specs.publish import Published
from transforms.specs.publish import publish_specs as publish
from transforms.taxonomy.trained import fit_classifier


def publish_specs(home: Home, log: EventLog, *, lease_s: float = 90.0) -> Published:
    """Retire evals that are spent, then issue and queue what the published build asks for.

    The baseline judge is registered with the first. Raises HeldOutData, once all else is done, for a training set that
    holds something of a private benchmark.
    """
    retire_spent(home, log)
    guard = held_out_guard(home, log)
    return publish(home, log, (BASELINE,), lease_s=lease_s, guard=guard, more=behaviour_candidates)


def train(
    home: Home, log: EventLog, tell: Tell, *, once: bool, owner: str | None = None, only: Container[str] | None = None
) -> Served:
    """Work on training jobs. See `ingest.jobs.worker.serve`."""

    def run(attempt: Attempt) -> str:
        return run_training(attempt, fit_classifier=fit_classifier, guard=held_out_guard(home, log))

    return serve(log, home, {"train": run}, once=once, owner=owner, only=only, tell=tell)


def evaluate(
    home: Home,
    log: EventLog,
    tell: Tell,
    *,
    once: bool,
    owner: str | None = None,
    only: Container[str] | None = None,
    options: Options | None = None,
    judge: str | None = None,
) -> Served:
    """Work on eval and judging jobs, with the judges that training registered, and policies as they can be asked.

    `judge`: the checkpoint that answers what code can't, where rubrics ask for it, if it may gate.
    """

    judges, policies, board = open_judge(home, log), policies_of(home, log), Board(log)
    rubric_judge = GatingRubricJudge(home, log, judge) if judge else None

    def scored(attempt: Attempt) -> None:
        board.refresh()
        issued, name = attempt.issued, attempt.job.checkpoint_id
        enough = enough_of(board, issued, name) if isinstance(issued, EvalSpecIssued) and name else None
        asked = (options or Options())._replace(enough=enough)
        run_eval(attempt, judges, open_policy=policies, options=asked, rubric_judge=rubric_judge)

    runs: dict[JobKind, Run] = {
        "eval": scored,
        "judge": lambda attempt: run_judging(attempt, judges),
    }
    try:
        return serve(log, home, runs, once=once, owner=owner, only=only, tell=tell)
    finally:
        if rubric_judge is not None:
            rubric_judge.close()


def policies_of(home: Home, log: EventLog) -> OpenPolicy:
    """Opens the policies that are registered on `log`."""
    board, opener = Board(log), Opener(home)

    def opened(checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
        board.refresh()
        registered = board.checkpoints.get(checkpoint_id)
        if registered is None:
            known = ", ".join(sorted(id_ for id_, each in board.checkpoints.items() if each.role == "policy"))
            raise TerminalError(f"No policy {checkpoint_id!r} counts on this log; known: {known or 'none'}.")
        return Opened(opener.open(registered, samples), served=is_recorded(home, registered))

    return opened


def let_attempt(home: Home, log: EventLog, agent: Agent, tell: Tell, *, once: bool, owner: str | None = None) -> Served:
    """Work on jobs of attempts: `agent` tries the tasks of their specs."""
    return serve(
        log, home, {"attempt": lambda attempt: run_attempts(attempt, agent)}, once=once, owner=owner, tell=tell
    )
