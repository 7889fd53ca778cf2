"""Three sinks share the partitions; in the middle of batches one is killed, one sleeps until its part has moved."""

import signal
import time

from ingest.log.kafka_group import SESSION_S
from ingest.sink.presence import running
from tests.faults.stage import Outcome, Stage, wait_for


def run(stage: Stage) -> Outcome:
    """The group moves the partitions, the lake has the positions, and the link decides where two hold the same."""
    with stage.scene() as scene:
        scene.write()
        sinks = [scene.start("sink", "--share") for _ in range(3)]
        wait_for(lambda: len(running(scene.home)) == len(sinks) and scene.landed() > 0)
        killed, slept, stays = sinks
        with scene.writing():
            time.sleep(3)
            killed.kill()
            slept.signal(signal.SIGSTOP)
            time.sleep(SESSION_S + 5)
            slept.signal(signal.SIGCONT)
            time.sleep(5)
            late = scene.start("sink", "--share")
            time.sleep(5)
        scene.settle()
        alive = all(sink.is_running() for sink in (slept, stays, late))
        return scene.outcome("one killed, one slept through the move, one came later", passed=alive)
