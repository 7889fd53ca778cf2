"""A worker process whose jobs count to 20 and save how far they are: `python counting_worker.py HOME OWNER PAUSE_S`."""

import hashlib
import sys
import time
from pathlib import Path

from ingest.home import Home
from ingest.jobs.attempt import Attempt
from ingest.jobs.worker import Settings, serve
from ingest.log import open_log
from models.events.result import TrainingStepLogged

STEPS = 20


def counted(attempt: Attempt, pause_s: float) -> str:
    for step in range(attempt.state.step if attempt.state else 0, STEPS):
        time.sleep(pause_s)
        attempt.beat(step + 1, "update")
        attempt.emit(
            [
                TrainingStepLogged(
                    id=attempt.event_id("step", step + 1),
                    source=attempt.source,
                    spec_id=attempt.job.spec_id,
                    job_id=attempt.job.job_id,
                    epoch=attempt.epoch,
                    step=step + 1,
                    metric="train/count",
                    value=step + 1,
                )
            ]
        )
        attempt.save(step + 1, str(step + 1).encode())
    return hashlib.sha256(b"counted").hexdigest()


def main() -> None:
    home, owner, pause_s = Home.open(Path(sys.argv[1])), sys.argv[2], float(sys.argv[3])
    with open_log(None, home.path) as log:
        served = serve(
            log,
            home,
            {"train": lambda attempt: counted(attempt, pause_s)},
            once=True,
            owner=owner,
            settings=Settings(heartbeat_s=0.2, poll_s=0.05),
        )
    sys.stdout.write(f"{served.completed} {served.failed} {served.lost} {served.yielded}\n")


if __name__ == "__main__":
    main()
