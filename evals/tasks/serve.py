"""What a worker does with a job of attempts: an agent tries every task of a spec; rollouts and grades are kept.

Tasks go in the order of their ids, and each is saved when it is graded: a worker that takes over goes on behind the
last one. Left out: who the agent is, which whoever starts the worker says.
"""

from evals.agents.agent import Agent
from evals.outcome import Outcome, missing
from evals.run import EvalRun
from evals.scorers import Score
from evals.serve import asked
from evals.tasks.attempts import Attempted, attempt
from evals.tasks.store import tasks_folder
from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import read_samples
from models.errors import TerminalError
from models.specs import EvalSpec

METRIC = "strict"


def run_attempts(job: Attempt, agent: Agent) -> None:
    """Let `agent`, who is the job's checkpoint, try each task; appends what it did, its grades and the metric.

    Raises TerminalError for a spec of another kind, and for a task that is not in this home.
    """
    spec = job.issued.spec
    checkpoint_id = asked(job)
    if not isinstance(spec, EvalSpec):
        raise TerminalError(f"Job {job.job.job_id} is of attempts, but {job.job.spec_id} is a {type(spec).__name__}.")
    job.beat(0, "load")
    samples = read_samples(job.home, spec.data)
    run = EvalRun(job, checkpoint_id, spec.scorer.name, samples, trials=spec.trials, phase="rollout")
    for number in list(run.progress.open()):
        sample = run.sample(number)
        folder = tasks_folder(job.home) / str(sample.target_id)
        if not (folder / "task.json").exists():
            raise TerminalError(
                f"Task {sample.target_id} of {job.job.spec_id} is not in {folder.parent}: copy it there."
            )
        done = attempt(
            folder, agent, run_id=job.job.job_id, trial=run.trial(number) + spec.trials * (job.job.look - 1),
            checkpoint_id=checkpoint_id, job=(job.job.job_id, job.epoch),
        )  # fmt: skip
        run.keep([(number, _outcome(done))])
    run.complete(METRIC)


def _outcome(done: Attempted) -> Outcome:
    """The strict score, the lenient one beside it, and what goes to the log with them."""
    score = _score(done)
    told = Outcome(score) if isinstance(score, Score) else missing("infrastructure", score)
    return told._replace(
        lenient=done.grade.lenient, rollout_id=done.rollout.rollout_id, beside=(done.rollout, done.graded)
    )


def _score(done: Attempted) -> Score | str:
    """The strict score; why it has none where it could not be graded."""
    found = done.grade
    if found.strict is None:
        return found.reason or "it could not be graded"
    tests, hidden = found.fail_to_pass, found.hidden
    said = f"{tests.passed} of {tests.total} tests, {hidden.passed} of {hidden.total} hidden cases"
    wires = "; ".join(f"{wire.name} at {wire.where}" for wire in found.tripwires)
    return Score(found.strict, said, wires or None)
