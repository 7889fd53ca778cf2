"""The broker that leads a partition is killed while events come, and comes back later."""

from tests.faults.stage import Outcome, Stage, wait_for


def run(stage: Stage) -> Outcome:
    """Another broker leads; the sink that runs goes on by itself."""
    with stage.scene() as scene:
        scene.write()
        sink = scene.start("sink")
        wait_for(lambda: scene.landed() > 0)
        leader = scene.leader("feedback", 0)
        with scene.writing():
            leader.kill()
            before = scene.landed()
            wait_for(lambda: scene.landed() > before + 100)
            leader.start()
            leader.wait()
        scene.settle()
        return scene.outcome("another broker led on; the sink never stopped", passed=sink.is_running())
