"""A topic is deleted and made again under the same name: its offsets begin at 0 and mean other events."""

from tests.faults.stage import Outcome, Stage, wait_for


def run(stage: Stage) -> Outcome:
    """Refused, loudly, by the sink that runs and by one that starts; the lake keeps what it has."""
    with stage.scene() as scene:
        scene.write(300)
        going = scene.start("sink")
        scene.settle()
        with scene.admin() as admin:
            admin.delete_topics([scene.name("feedback")])
            wait_for(lambda: scene.name("feedback") not in admin.list_topics())
            configs = {"message.timestamp.type": "LogAppendTime"}
            new = {"num_partitions": 3, "replication_factor": 3, "configs": configs}
            admin.create_topics({scene.name("feedback"): new}, wait_for_metadata=True)
        ended = going.wait()
        starting = scene.start("sink", "--once")
        refused = "was deleted and made again" in starting.said if starting.wait() else False
        named = "feedback" in going.said and ("was replaced" in going.said or "made again" in going.said)
        return scene.outcome("refused by name; the lake is untouched", passed=bool(ended) and refused and named)
