"""A training worker process without an embedding model: `python training_worker.py HOME`."""

import sys
from pathlib import Path

from ingest.home import Home
from ingest.jobs.worker import Settings, serve
from ingest.log import open_log
from tests.training.sentences import HashedWords
from training.serve import run_training


def main() -> None:
    home = Home.open(Path(sys.argv[1]))
    with open_log(None, home.path) as log:
        serve(
            log,
            home,
            {"train": lambda attempt: run_training(attempt, HashedWords())},
            once=True,
            settings=Settings(heartbeat_s=0.2, poll_s=0.05),
        )


if __name__ == "__main__":
    main()
