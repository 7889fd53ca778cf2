"""An event is its source and its id together: two products that both number their comments from 1 stay apart."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.jobs.queue import job_queued
from models.events import AnyEvent
from models.events.checkpoint import CheckpointRegistered
from models.events.comment import CommentLeft
from models.events.job import JobClaimed, JobCompleted
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.taxonomy import ModeProposed
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
WRITTEN = {
    "shop": (
        "The basket forgot what I had put into it yesterday evening.",
        "Prices are shown without tax, which surprised me at the till.",
        "I can not find the button that removes an address.",
    ),
    "bank": (
        "A transfer to my sister was declined three times in a row.",
        "The monthly statement arrives as a picture that nobody can search.",
        "Logging in on the phone asks for a card reader I do not own.",
    ),
}
PERSON = Author(kind="human", id="u")


def written(source: str) -> list[AnyEvent]:
    """Comments 1, 2, 3 of a product; nobody voted where the third was left."""
    events: list[AnyEvent] = []
    for number, text in enumerate(WRITTEN[source], start=1):
        target = Target(kind="response", id=f"{source}-{number}")
        events.append(ResponseServed(id=f"served-{number}", source=source, response_id=target.id))
        events.append(CommentLeft(id=str(number), source=source, target=target, author=PERSON, text=text))
        if number < 3:
            events.append(ThumbGiven(id=f"t{number}", source=source, target=target, author=PERSON, thumb="down"))
    return events


@pytest.fixture(scope="module")
def lab(new_lab: Callable[[str], Any]) -> Any:
    lab = new_lab("identity")
    judging = job_queued("judge", "judge-spec", "judge-1")
    lab.land(*written("shop"), *written("bank"), at=NOON)
    lab.land(
        CommentLeft(
            id="1", source="shop", target=Target(kind="response", id="shop-1"), author=PERSON,
            text="Another content under an id that is taken.",
        ),
        ModeProposed(
            id="p", source="modes", mode_id="mode-basket", discovery_id="d", name="basket", terms=("basket",),
            centroid=(1.0, *[0.0] * 383), cohesion=0.9, embedding="test", member_keys=("shop|1",), medoid_key="shop|1",
        ),
        CheckpointRegistered(id="judge-1", source="w", checkpoint_id="judge-1", role="judge", method="lexicon"),
        judging,
        JobClaimed(id="c", source="w", job_id=judging.job_id, epoch=1, owner="w"),
        JobCompleted(id="d", source="w", job_id=judging.job_id, epoch=1, owner="w"),
        ScoreGiven(
            id="judged", source="w", target=Target(kind="response", id="shop-3"), metric="judge/negative",
            author=Author(kind="code", id="judge-1"), data_type="numeric", value=0.9, scale_min=0, scale_max=1,
            better="lower", native_id="shop|3", job_id=judging.job_id, epoch=1,
        ),
        at=NOON + timedelta(seconds=1),
    )  # fmt: skip
    lab.build()
    return lab


def test_each_is_evidence(lab: Any) -> None:
    samples = lab.ask(
        "select distinct sample_id, text from sync_spec_samples where spec_key in ('eval:all:judge', 'train:all:judge')"
    )
    assert sorted(samples) == sorted(
        (f"{source}|{number}", WRITTEN[source][number - 1]) for source in WRITTEN for number in (1, 2)
    )


def test_a_judgement_is_of_the_event_that_was_judged(lab: Any) -> None:
    judged = lab.ask("select source, judged_negative from fct_feedback where kind = 'comment' and event_id = '3'")
    assert sorted(judged) == [("bank", None), ("shop", True)]


def test_a_member_is_the_event_that_was_named_and_not_a_copy_in_quarantine(lab: Any) -> None:
    members = lab.ask(
        "select texts.normal_form like 'the basket forgot%' from int_mode_members join int_texts as texts "
        "using (text_hash) where mode_id = 'mode-basket'"
    )
    assert members == [(True,)]
    assert lab.ask("select event_key from fct_failure_mode_examples where mode_id = 'mode-basket'") == [("shop|1",)]
