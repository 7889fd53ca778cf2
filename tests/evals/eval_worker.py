"""An eval worker process with the baseline judge, slowed down: `python eval_worker.py HOME PAUSE_S`."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from evals.serve import run_eval, run_judging
from ingest.home import Home
from ingest.jobs.worker import Settings, serve
from ingest.log import open_log
from models.protocols import Judgement
from training.judges.lexicon import LexiconJudge

CHUNK = 10


class SlowJudge(LexiconJudge):
    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        time.sleep(self.pause_s)
        return super().judge(texts)


def main() -> None:
    home, pause_s = Home.open(Path(sys.argv[1])), float(sys.argv[2])

    def open_judge(checkpoint_id: str) -> SlowJudge:
        return SlowJudge(pause_s)

    with open_log(None, home.path) as log:
        serve(
            log,
            home,
            {
                "eval": lambda attempt: run_eval(attempt, open_judge, CHUNK),
                "judge": lambda attempt: run_judging(attempt, open_judge, CHUNK),
            },
            once=True,
            settings=Settings(heartbeat_s=0.2, poll_s=0.05),
        )


if __name__ == "__main__":
    main()
