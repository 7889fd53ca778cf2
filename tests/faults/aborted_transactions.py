"""Other producers write in transactions, and abort some: their records lie in the log and are nobody's."""

from typing import Any

from ingest.log.kafka_client import kafka
from models.events import dump
from tests.faults.stage import Outcome, Stage
from tests.ingest.sink.written import comment


def run(stage: Stage) -> Outcome:
    """What was aborted is never seen, what was committed lands once."""
    with stage.scene() as scene:
        scene.write()
        sink = scene.start("sink")
        producer: Any = kafka.KafkaProducer(
            bootstrap_servers=stage.brokers.bootstrap.split(","), transactional_id=scene.name("writer")
        )
        producer.init_transactions()
        aborted: set[str] = set()
        with scene.writing():
            for round_ in range(10):
                producer.begin_transaction()
                events = [comment(1_000_000 + round_ * 100 + number) for number in range(100)]
                for event in events:
                    producer.send(scene.name("feedback"), key=event.key.encode(), value=dump(event))
                producer.flush(timeout=30)
                if round_ % 2:
                    producer.abort_transaction()
                    aborted.update(event.id for event in events)
                else:
                    producer.commit_transaction()
                    scene.accepted.update(event.id for event in events)
        producer.close(timeout=10)
        scene.settle()
        seen = aborted & scene.ids()
        what = f"{len(aborted)} aborted records unseen, 500 committed ones landed"
        return scene.outcome(what, passed=not seen and sink.is_running())
