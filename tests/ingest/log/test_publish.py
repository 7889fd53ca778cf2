"""What is too large for the log goes in cut, or is refused aloud: sent = stored + refused."""

from pathlib import Path

import pytest

from ingest.log import open_log, publish, replay
from models.events import AnyEvent, parse
from models.events.comment import CommentLeft
from models.events.oversize import TooLarge
from models.events.rollout import RolloutRecorded, Step
from models.events.taxonomy import DiscoveryStarted
from models.feedback import Author, Target

BYTES = 1_100_000


def test_case_37_sent_is_stored_and_refused_and_what_is_cut_says_so(tmp_path: Path) -> None:
    target, author = Target(kind="response", id="r"), Author(kind="human")
    sent: list[AnyEvent] = [
        CommentLeft(id="comment", source="s", target=target, author=author, text="x" * BYTES),
        RolloutRecorded(id="rollout", source="s", rollout_id="r", steps=(Step(role="tool", text="x" * BYTES),)),
        DiscoveryStarted(
            id="ids",
            source="s",
            discovery_id="d",
            event_keys=tuple(f"s|{number:0500}" for number in range(BYTES // 500)),
            embedding="e",
            taxonomy_digest="t",
        ),
    ]
    refused: list[str] = []
    with open_log(None, tmp_path) as log:
        for event in sent:
            try:
                publish(log, [event])
            except TooLarge as error:
                assert "1,1" in str(error) and "the log takes 995,904" in str(error)
                refused.append(event.id)
        stored = [parse(record.value) for topic in log.topics() for record in replay(log, topic)]

    assert refused == ["ids"]
    assert {event.id for event in stored} == {"comment", "rollout"}
    assert len(sent) == len(stored) + len(refused)
    for event in stored:
        text = event.steps[0].text if isinstance(event, RolloutRecorded) else getattr(event, "text", None)
        assert (text or "").endswith("more characters]")


def test_nothing_is_stored_of_a_batch_that_holds_what_cannot_be_cut(tmp_path: Path) -> None:
    keys = tuple(f"s|{number:0500}" for number in range(BYTES // 500))
    large = DiscoveryStarted(
        id="ids", source="s", discovery_id="d", event_keys=keys, embedding="e", taxonomy_digest="t"
    )
    with open_log(None, tmp_path) as log:
        with pytest.raises(TooLarge):
            publish(log, [large.model_copy(update={"event_keys": ()}), large])
        assert log.topics() == []
