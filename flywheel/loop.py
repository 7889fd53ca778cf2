"""The stages of the loop, composed: what the commands and the demo both call."""

from collections.abc import Container

from evals.agents.agent import Agent
from evals.serve import run_eval, run_judging
from evals.tasks.serve import run_attempts
from flywheel.behaviour_specs import behaviour_candidates
from ingest.home import Home
from ingest.jobs.attempt import Attempt, Tell
from ingest.jobs.worker import Run, Served, serve
from ingest.log import EventLog
from models.events.job import JobKind
from training.judges.lexicon import BASELINE
from training.judges.open import open_judge
from training.serve import run_training
from transforms.specs.publish import Published
from transforms.specs.publish import publish_specs as publish
from transforms.taxonomy.trained import fit_classifier


def publish_specs(home: Home, log: EventLog, *, lease_s: float = 90.0) -> Published:
    """Issue and queue what the published build asks for; the baseline judge is registered with the first."""
    return publish(home, log, (BASELINE,), lease_s=lease_s, more=behaviour_candidates)


def train(
    home: Home, log: EventLog, tell: Tell, *, once: bool, owner: str | None = None, only: Container[str] | None = None
) -> Served:
    """Work on training jobs. See `ingest.jobs.worker.serve`."""

    def run(attempt: Attempt) -> str:
        return run_training(attempt, fit_classifier=fit_classifier)

    return serve(log, home, {"train": run}, once=once, owner=owner, only=only, tell=tell)


def evaluate(
    home: Home, log: EventLog, tell: Tell, *, once: bool, owner: str | None = None, only: Container[str] | None = None
) -> Served:
    """Work on eval and judging jobs, with the judges that training registered."""

    judges = open_judge(home, log)
    runs: dict[JobKind, Run] = {
        "eval": lambda attempt: run_eval(attempt, judges),
        "judge": lambda attempt: run_judging(attempt, judges),
    }
    return serve(log, home, runs, once=once, owner=owner, only=only, tell=tell)


def let_attempt(home: Home, log: EventLog, agent: Agent, tell: Tell, *, once: bool, owner: str | None = None) -> Served:
    """Work on jobs of attempts: `agent` tries the tasks of their specs."""
    return serve(
        log, home, {"attempt": lambda attempt: run_attempts(attempt, agent)}, once=once, owner=owner, tell=tell
    )
