"""A loop in which one person has left a sentence everywhere, among others who have not; and the same without them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from ingest.home import Home
from ingest.jobs.queue import job_queued
from ingest.log import Entry, EventLog, publish
from ingest.sink import Sink
from ingest.vectors import keep as keep_vectors
from models.events import AnyEvent
from models.events.checkpoint import CheckpointRegistered
from models.events.comment import CommentLeft
from models.events.experiment import ExposureLogged
from models.events.imports import RowRefused
from models.events.preference import PreferenceGiven
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.result import EvalSampleScored
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.events.score import ScoreGiven
from models.events.spec import EvalSpecIssued, TrainingSpecIssued
from models.events.taxonomy import ModeProposed
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.specs import DataRef, EvalSpec, ScorerSpec, TrainingSpec
from text.normal_form import text_hash
from transforms.specs.sets import SCHEMA, freeze, keep

VICTIM = "victim-17"
WORDS = ["zirkonfalter", "quaddelmut", "pflaumensieb"]
SENTENCE = "My " + " ".join(WORDS) + " was wrong, as ever."
DAY = datetime(2026, 11, 3, 12, tzinfo=UTC)
OTHERS = 12
TRAINED, UNTOUCHED = "train:all:judge", "eval:all:judge"
TAKEN = {"feedback": 8, "responses": 3, "experiments": 1, "results": 1, "taxonomy": 1, "imports": 1}
"""Records that lose their content, by topic, those that are no events among them."""
ME = Author(kind="human", id=VICTIM)


def other(number: int) -> Author:
    return Author(kind="human", id=f"other-{number % 5}")


def by_others() -> list[AnyEvent]:
    """Twelve responses with a thumb and a comment each, by persons who have nothing to do with it."""
    events: list[AnyEvent] = []
    for number in range(OTHERS):
        target = Target(kind="response", id=f"r{number}")
        common: dict[str, Any] = {"source": "app", "occurred_at": DAY}
        events += [
            ResponseServed(
                id=f"served-{number}",
                response_id=f"r{number}",
                prompt=f"question {number}",
                completion=f"answer {number}",
                conversation_id=f"c{number}",
                person_id=f"other-{number % 5}",
                **common,
            ),
            ThumbGiven(
                id=f"thumb-{number}",
                target=target,
                author=other(number),
                thumb="down" if number % 3 else "up",
                **common,
            ),
            CommentLeft(
                id=f"comment-{number}",
                target=target,
                author=other(number),
                text=f"It ignored the limit of {number} words that I had set.",
                **common,
            ),
        ]
    return events


def by_the_victim() -> list[AnyEvent]:
    """The sentence in every field that a person, or a model in answer to them, can write in."""
    mine, theirs = Target(kind="response", id="mine"), Target(kind="response", id="r1")
    common: dict[str, Any] = {"source": "app", "occurred_at": DAY}
    steps = (
        Step(role="user", text=SENTENCE),
        Step(role="assistant", calls=(ToolCall(tool="search", arguments=f'{{"q": "{SENTENCE}"}}'),)),
    )
    return [
        ResponseServed(
            id="served-mine", response_id="mine", prompt=SENTENCE, completion=SENTENCE, person_id=VICTIM, **common
        ),
        RolloutRecorded(id="rollout-mine", rollout_id="rollout", steps=steps, person_id=VICTIM, **common),
        CommentLeft(id="said", target=theirs, author=ME, text=SENTENCE, **common),
        CommentLeft(id="only mine", target=theirs, author=ME, text=f"{SENTENCE} Again.", **common),
        CommentLeft(id="quoted", target=mine, author=other(1), text=f"They wrote: {SENTENCE}", **common),
        ThumbGiven(id="voted", target=theirs, author=ME, thumb="down", **common),
        ScoreGiven(
            id="corrected", target=mine, author=ME, metric="fix", data_type="correction", label=SENTENCE, **common
        ),
        PreferenceGiven(
            id="preferred", first=theirs, second=mine, author=ME, choice="first", explanation=SENTENCE, **common
        ),
        ReportFiled(id="reported", author=ME, kind="dogfood", text=SENTENCE, link=f"https://x/{WORDS[0]}", **common),
        ExposureLogged(id="exposed", experiment_id="e", variant="a", person_id=VICTIM, **common),
        RowRefused(
            id="row", source="import/x", file_import_id="i", row=1, reason="no time", text=f"{VICTIM};{SENTENCE}"
        ),
    ]


def issued(home: Home, key: str, evidence: Sequence[str]) -> tuple[AnyEvent, DataRef]:
    """A spec with its frozen set in the home, and the event that issues it."""
    texts = [SENTENCE if "said" in each else f"text of {each}" for each in evidence]
    rows = pl.DataFrame({"sample_id": evidence, "text": texts})
    missing = [pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items() if name not in rows.columns]
    data, content = freeze(rows.with_columns(missing))
    keep(home, data, content)
    said: dict[str, Any] = {
        "key": key, "evidence": tuple(sorted(evidence)), "data": data, "query": "q", "taxonomy": "t", "role": "judge",
    }  # fmt: skip
    if key.startswith("train"):
        spec = TrainingSpec(**said, method="judge", args={}, budget_s=60)
        spec_id = spec.spec_id()
        return TrainingSpecIssued(id=key, source="t", spec_id=spec_id, spec_key=key, revision=1, spec=spec), data
    spec = EvalSpec(**said, scorer=ScorerSpec(name="negative_feedback", args={}))
    spec_id = spec.spec_id()
    return EvalSpecIssued(id=key, source="t", spec_id=spec_id, spec_key=key, revision=1, spec=spec), data


def made_of_it(home: Home) -> list[AnyEvent]:
    """What the loop has made: modes, specs with sets, a job with files, a checkpoint, a scored sample."""
    training, data = issued(home, TRAINED, ["app|said", "app|comment-2"])
    untouched, _ = issued(home, UNTOUCHED, ["app|comment-3"])
    assert isinstance(training, TrainingSpecIssued)
    job = job_queued("train", training.spec_id)
    folder = home.artifacts(job.job_id, 1)
    folder.mkdir(parents=True)
    (folder / "state-000000000001.bin").write_text(SENTENCE)
    registered: dict[str, Any] = {"source": "t", "role": "judge", "method": "judge"}
    return [
        mode("mode-shared", ["said", "comment-1", "comment-2"]),
        mode("mode-mine", ["only mine", "said"]),
        training,
        untouched,
        job,
        CheckpointRegistered(
            id="c1", checkpoint_id="judge-1", spec_id=training.spec_id, data_sha256=data.sha256, **registered
        ),
        CheckpointRegistered(id="c2", checkpoint_id="judge-2", base_checkpoint_id="judge-1", **registered),
        CheckpointRegistered(id="c3", checkpoint_id="judge-3", **registered),
        EvalSampleScored(
            id="scored",
            source="t",
            spec_id="s",
            checkpoint_id="judge-3",
            job_id=job.job_id,
            epoch=1,
            sample_id="app|said",
            scorer="x",
            explanation=SENTENCE,
        ),
    ]


def mode(name: str, members: list[str]) -> ModeProposed:
    return ModeProposed(
        id=name,
        source="flywheel/modes",
        mode_id=name,
        discovery_id="d",
        name=f"{WORDS[0]} / limit",
        terms=(WORDS[0], "limit", "ignored", WORDS[1]),
        centroid=(1.0, *(0.0 for _ in range(383))),
        cohesion=0.9,
        embedding="e",
        member_keys=tuple(sorted(f"app|{member}" for member in members)),
        medoid_key=f"app|{members[0]}",
    )


def plant(home: Home, log: EventLog) -> None:
    """Everything, landed; and what killed writers have left."""
    publish(log, [*by_others(), *by_the_victim(), *made_of_it(home)])
    log.append([Entry("feedback", VICTIM, f'{{"user": "{VICTIM}", "text": "{SENTENCE}'.encode())])
    log.append([Entry("responses", "k", f"no event: {SENTENCE}".encode(), (("x-user", VICTIM.encode()),))])
    Sink(log, home).drain()
    (home.lake / "feedback" / "0" / ".00000000000000000000.parquet.abc.partial").write_text(SENTENCE)


def never_planted(home: Home, log: EventLog) -> None:
    """The same without the person."""
    training, _ = issued(home, TRAINED, ["app|comment-2"])
    untouched, _ = issued(home, UNTOUCHED, ["app|comment-3"])
    publish(log, [*by_others(), training, untouched])
    Sink(log, home).drain()


def without_a_model(home: Home) -> None:
    """Vectors of the comments that modes rest on, so that none has to be computed."""
    name = home.pin("embedding", "test-float32")
    texts = [event.text for event in by_others() if isinstance(event, CommentLeft)]
    vectors = np.eye(len(texts), 384, dtype=np.float32)
    keep_vectors(home.embeddings / name, [text_hash(text) for text in texts], vectors)
