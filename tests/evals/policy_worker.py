"""An eval worker process that asks policies as the home says: `python policy_worker.py HOME`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from evals.policies.open import open_policy
from evals.serve import Opened, run_eval
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.samples import Sample
from ingest.jobs.worker import Settings, serve
from ingest.log import open_log
from models.protocols import Judge


def no_judge(checkpoint_id: str) -> Judge:
    raise AssertionError(checkpoint_id)


def main() -> None:
    home = Home.open(Path(sys.argv[1]))
    with open_log(None, home.path) as log:
        board = Board(log)

        def opened(checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
            board.refresh()
            return Opened(open_policy(home, board.checkpoints[checkpoint_id], samples), served=False)

        serve(
            log,
            home,
            {"eval": lambda attempt: run_eval(attempt, no_judge, open_policy=opened)},
            once=True,
            settings=Settings(heartbeat_s=0.2, poll_s=0.05),
        )


if __name__ == "__main__":
    main()
