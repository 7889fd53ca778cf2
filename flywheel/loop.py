"""The stages of the loop, composed: what the commands and the demo both call."""

from collections.abc import Callable

from evals.serve import run_eval, run_judging
from ingest.home import Home
from ingest.jobs.worker import Attempt, Settings, serve
from ingest.log import EventLog
from training.judges.lexicon import BASELINE
from training.judges.open import open_judge
from training.serve import run_training
from transforms.specs.publish import Published
from transforms.specs.publish import publish_specs as publish

Say = Callable[[str], None]


def publish_specs(home: Home, log: EventLog) -> Published:
    """Issue and queue what the published build asks for; the baseline judge is registered with the first."""
    return publish(home, log, (BASELINE,))
