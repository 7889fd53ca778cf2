"""The collector is killed (-9) twenty times at random while a client sends, and repeats what got no answer."""

import json
import random
import threading
import time

from models.events import dump
from tests.faults.collector import Collector
from tests.faults.stage import Outcome, Stage
from tests.ingest.sink.written import comment

KILLS = 20
BATCH = 20


def run(stage: Stage) -> Outcome:
    """What was answered 202 is in the lake. What was repeated may be in the log twice, with one id: the marts have it
    once. It was repeated only where no answer came."""
    chance = random.Random(21)
    with stage.scene() as scene:
        collector = Collector(scene)
        stop = threading.Event()
        faults: list[BaseException] = []

        def send() -> None:
            first = 0
            try:
                while not stop.is_set():
                    events = [comment(number) for number in range(first, first + BATCH)]
                    collector.deliver([json.loads(dump(event)) for event in events])
                    first += BATCH
            except BaseException as error:
                faults.append(error)

        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.1, 1.5))
            collector.restart()
        stop.set()
        sender.join()
        sink = scene.start("sink", "--once")
        landed = sink.wait() == 0
        what = f"killed {KILLS} times; {len(scene.repeated):,} events had no answer and were sent again"
        return scene.outcome(what, passed=landed and not faults)
