"""A certificate runs out: the broker's before we start, ours before we start, and the broker's while a sink runs."""

import tempfile
import time
from pathlib import Path

from tests.faults.stage import Outcome, Stage
from tests.kafka_doors import doors

ENDS_WITHIN_S = 90.0
SOON_S = 60.0


def run(stage: Stage) -> Outcome:
    """Each is named, and the program ends instead of trying for ever. With the certificate renewed, all lands."""
    with tempfile.TemporaryDirectory() as folder, doors(Path(folder), soon_s=SOON_S) as opened:
        runs_out = time.monotonic() + SOON_S  # at the latest: the broker took its time
        with Stage(opened.cluster).scene() as scene:
            scene.write(300)
            prefix = scene.url.rpartition("/")[2]
            going = scene.start("sink", log=opened.url("SOON", prefix), **opened.environment())
            scene.settle()
            said = {"a certificate that is still good": going.is_running()}
            for name, door, environment in (("broker's", "LATE", {}), ("ours", "MUTUAL", {"cert": "late-client"})):
                program = scene.start("sink", log=opened.url(door, prefix), **opened.environment(**environment))
                said[name] = program.wait(ENDS_WITHIN_S) == 1 and "run out" in program.said
            time.sleep(max(0.0, runs_out + 2 - time.monotonic()))
            opened.cluster.restart()  # who is connected stays so; now everybody has to come in anew
            said["under way"] = going.wait(ENDS_WITHIN_S) == 1 and "run out" in going.said
            scene.write(300)
            renewed = scene.start("sink", "--once", log=opened.url("TLS", prefix), **opened.environment())
            said["renewed"] = renewed.wait() == 0
            wrong = [name for name, right in said.items() if not right]
            what = (
                f"wrong: {', '.join(wrong)}" if wrong else "the broker's, ours, and one that ran out under way: named"
            )
            return scene.outcome(what, passed=not wrong)
