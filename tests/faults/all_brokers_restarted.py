"""All brokers are killed at once and started again."""

from tests.faults.stage import Outcome, Stage, wait_for


def run(stage: Stage) -> Outcome:
    """What was accepted is on disk; writers and sink wait until the cluster is back."""
    with stage.scene() as scene:
        scene.write()
        sink = scene.start("sink")
        wait_for(lambda: scene.landed() > 0)
        with scene.writing():
            stage.brokers.restart()
            before = scene.landed()
            wait_for(lambda: scene.landed() > before + 100)
        scene.settle()
        return scene.outcome("writers and sink waited for the cluster", passed=sink.is_running())
