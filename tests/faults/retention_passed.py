"""Kafka's retention passes the position of a sink that was away: events are gone before they landed."""

from ingest.log.kafka_client import topic_changes
from tests.faults.stage import Outcome, Stage, wait_for


def run(stage: Stage) -> Outcome:
    """Nothing can bring them back, so it must be said and not passed over. What had landed stays."""
    with stage.scene() as scene:
        scene.write(300)
        scene.start("sink", "--once").wait()
        landed = set(scene.accepted)
        scene.write(300)
        with scene.admin() as admin:
            admin.alter_configs([topic_changes(scene.name("feedback"), {"retention.ms": "1000"})])
        ends = scene.log.end_offsets("feedback")
        wait_for(lambda: scene.log.begin_offsets("feedback") == ends)
        after = scene.start("sink", "--once")
        refused = after.wait() == 1 and "the log can't give what follows" in after.said
        scene.accepted = landed  # the others the brokers dropped, by the setting that we made
        return scene.outcome("300 events dropped by the brokers: refused by name and offset", passed=refused)
