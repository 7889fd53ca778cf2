"""A broker is frozen (SIGSTOP): its connections stay open and nobody answers. Then it is thawed."""

import time

from tests.faults.stage import Outcome, Stage, wait_for

FROZEN_S = 12.0


def run(stage: Stage) -> Outcome:
    """Writers and sink wait or go to the new leader, and nobody loses what the frozen one still believed."""
    with stage.scene() as scene:
        scene.write()
        sink = scene.start("sink")
        wait_for(lambda: scene.landed() > 0)
        leader = scene.leader("feedback", 0)
        with scene.writing():
            leader.freeze()
            time.sleep(FROZEN_S)
            leader.thaw()
            before = scene.landed()
            wait_for(lambda: scene.landed() > before + 100)
        scene.settle()
        return scene.outcome(f"frozen for {FROZEN_S:.0f} s; the sink never stopped", passed=sink.is_running())
