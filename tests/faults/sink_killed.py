"""The sink is killed (-9) twenty times while events come: at random, and right after it has linked a segment."""

import random
import time

from ingest.sink.presence import running
from tests.faults.stage import Outcome, Stage, wait_for

KILLS = 20


def run(stage: Stage) -> Outcome:
    """Each new one goes on where the lake ends. A kill before the first segment proves little, so half of them wait for
    one, and it is said how many came after one."""
    chance = random.Random(20)
    landing = 0
    with stage.scene() as scene:
        scene.write()
        with scene.writing():
            for round_ in range(KILLS):
                before = scene.landed()
                sink = scene.start("sink")
                wait_for(lambda pid=sink.pid: any(there.pid == pid for there in running(scene.home)))
                if round_ % 2:
                    wait_for(lambda before=before: scene.landed() > before, every=0.01)
                else:
                    time.sleep(chance.uniform(0.0, 6.0))
                sink.kill()
                landing += scene.landed() > before
        scene.start("sink", "--once").wait()
        what = f"killed {KILLS} times, {landing} of them after it had landed something"
        return scene.outcome(what, passed=landing >= KILLS // 2)
