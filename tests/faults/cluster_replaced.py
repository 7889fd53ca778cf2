"""The cluster is thrown away and another set up at the same address."""

from ingest.kafka_broker.cluster import cluster
from tests.faults.stage import Outcome, Stage


def run(stage: Stage) -> Outcome:
    """Refused, loudly: the home is of the cluster that it began with."""
    with cluster() as first:
        port = first.nodes[0].port
        with Stage(first).scene() as scene:
            scene.write(300)
            scene.start("sink", "--once").wait()
            before = scene.outcome("")
            first.nodes[0].kill()
            with cluster(port=port):
                after = scene.start("sink", "--once")
                refused = after.wait() == 1 and "is of the log" in after.said
            return scene.outcome("refused by name; the lake is untouched", passed=refused and not before.lost)
