"""A comment of 2 MB, where the log takes 1 MB: through every way in, and from a producer that is not ours. Case 37."""

import json
from typing import Any

from ingest.log import publish
from ingest.log.kafka_client import errors, kafka, topic_changes
from models.events import dump
from tests.faults.collector import Collector
from tests.faults.stage import Outcome, Stage, wait_for
from tests.ingest.sink.written import comment

LARGE = "ä" * 1_000_000
"""2 MB in UTF-8."""


def run(stage: Stage) -> Outcome:
    """Ours keep all but the end of the text, and say so; a foreign producer is refused by the broker, or, where the
    cluster takes such records, its event lands whole. Sent = landed + refused."""
    with stage.scene() as scene:
        appended, imported, posted, foreign = (
            comment(number, LARGE).model_copy(update={"id": name})
            for number, name in enumerate(("appended", "imported", "posted", "foreign"))
        )
        publish(scene.log, [appended])
        file = scene.folder / "events.jsonl"
        file.write_bytes(dump(imported) + b"\n")
        imports = scene.start("import", "--format", "cloudevents", str(file))
        collector = Collector(scene)
        answer = collector.post([json.loads(dump(posted))])
        scene.accepted = {"appended", "imported", "posted"}

        def send() -> bool:
            producer: Any = kafka.KafkaProducer(
                bootstrap_servers=stage.brokers.bootstrap.split(","), max_request_size=4_000_000
            )
            try:
                producer.send(scene.name("feedback"), key=foreign.key.encode(), value=dump(foreign)).get(timeout=30)
            except errors.MessageSizeTooLargeError:
                return False
            finally:
                producer.close(timeout=10)
            return True

        refused = not send()
        with scene.admin() as admin:
            admin.alter_configs([topic_changes(scene.name("feedback"), {"max.message.bytes": "4000000"})])
        wait_for(send)  # once the brokers have heard of it
        scene.accepted.add("foreign")
        passed = imports.wait() == 0 and answer is not None and answer["accepted"] == 1 and refused
        passed &= scene.start("sink", "--once").wait() == 0
        texts = scene.texts()
        cut = all(texts.get(name, "").endswith("more characters]") for name in ("appended", "imported", "posted"))
        whole = texts.get("foreign") == LARGE
        return scene.outcome(
            "cut with a marker by all ways in; a foreign one lands whole", passed=passed and cut and whole
        )
