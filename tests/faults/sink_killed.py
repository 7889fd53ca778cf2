"""The sink is killed (-9) twenty times at random while events come."""

import random
import time

from tests.faults.stage import Outcome, Stage

KILLS = 20


def run(stage: Stage) -> Outcome:
    """Each new one goes on where the lake ends."""
    chance = random.Random(20)
    with stage.scene() as scene:
        scene.write()
        with scene.writing():
            for _ in range(KILLS):
                sink = scene.start("sink")
                time.sleep(chance.uniform(1.0, 5.0))  # it lands from about two seconds on
                sink.kill()
        scene.start("sink", "--once").wait()
        return scene.outcome(f"killed {KILLS} times")
