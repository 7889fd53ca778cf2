"""Bytes of a batch are flipped on the disk of the broker that leads the partition."""

from pathlib import Path

from ingest.log import publish
from tests.faults.stage import Outcome, Scene, Stage
from tests.ingest.sink.written import comment


def run(stage: Stage) -> Outcome:
    """The sink names partition and offset and lands all other partitions. Another replica is whole: once it leads, the
    rest lands too."""
    with stage.scene() as scene:
        for first in range(0, 3_000, 30):  # a batch each
            events = [comment(number, f"{number} " + "x" * 200) for number in range(first, first + 30)]
            publish(scene.log, events)
            scene.accepted |= {event.id for event in events}
        leader = scene.leader("feedback", 0)
        _flip(_segment(scene, leader.log_folder))
        sink = scene.start("sink", "--once")
        refused = sink.wait() == 1 and "feedback, partition 0 is damaged" in sink.said
        beside = scene.landed_in(1, 2) == sum(scene.log.end_offsets("feedback")[at] for at in (1, 2))
        leader.kill()
        scene.start("sink", "--once").wait()
        return scene.outcome("named; other partitions land; a whole replica brings the rest", passed=refused and beside)


def _segment(scene: Scene, folder: Path) -> Path:
    (segment,) = (folder / f"{scene.name('feedback')}-0").glob("*.log")
    return segment


def _flip(segment: Path) -> None:
    with segment.open("r+b") as file:
        file.seek(segment.stat().st_size // 2)
        was = file.read(64)
        file.seek(-64, 1)
        file.write(bytes(byte ^ 0xFF for byte in was))
