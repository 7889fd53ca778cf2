"""Which rows are a person's, and which are not: on a lake of a few rows, without a log."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ingest.erasure.lake_files import files
from ingest.erasure.requests import Request
from ingest.erasure.rules import PLACE
from ingest.erasure.search import MARKS, Search
from ingest.erasure.sweep import everything
from ingest.home import Home
from models.events.experiment import ExposureLogged, MetricObserved
from models.events.imports import RowRefused
from models.events.preference import PreferenceGiven
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.result import EvalSampleScored
from models.events.rollout import RolloutRecorded, Step
from models.events.score import ScoreGiven
from models.events.taxonomy import TextLabelled
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.topics import TOPICS
from tests.ingest.erasure.landed import AFTER, NOON, comment, land

P, Q = Author(kind="human", id="p-1"), Author(kind="human", id="q-1")
SENTENCE = "The purple llama sticker was missing again."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


def claimed(home: Home, *requests: Request) -> set[str]:
    """Ids of the events that are taken; of what is no event its offset."""
    asked = requests or (Request("app", "ask", "p-1", NOON),)
    marks = Search(home, asked, everything(home)).run(pl.DataFrame(schema=MARKS)).marks
    found: set[str] = set()
    for topic in TOPICS:
        for file in files(home, topic):
            frame = pl.read_parquet(file).join(marks.filter(pl.col("topic") == topic), on=PLACE, how="semi")
            found |= {event or f"bad {offset}" for event, offset in frame.select("event_id", "log_offset").iter_rows()}
    return found


def served(name: str, **fields: Any) -> ResponseServed:
    return ResponseServed(id=name, source="app", response_id=f"{name}-id", **fields)


def test_what_the_person_wrote_and_nothing_of_others(home: Home):
    land(
        home,
        served("mine", person_id="p-1"),
        served("theirs", person_id="q-1"),
        served("nobodys"),
        comment("said", P, "elsewhere"),
        comment("said by another", Q, "elsewhere"),
        comment("said by a model of that name", Author(kind="llm", id="p-1"), "elsewhere"),
        ThumbGiven(id="thumb", source="app", author=P, target=Target(kind="response", id="x"), thumb="up"),
    )
    assert claimed(home) == {"mine", "said", "thumb"}


def test_what_is_written_about_what_was_served_to_them(home: Home):
    land(
        home,
        served("mine", person_id="p-1", message_id="m", trace_id="t", span_id="s", conversation_id="c"),
        RolloutRecorded(id="rollout", source="app", rollout_id="ro", person_id="p-1", steps=(Step(role="user"),)),
        *(
            comment(f"on the {kind}", Q, target, kind)
            for kind, target in (("message", "m"), ("trace", "t"), ("span", "s"), ("conversation", "c"))
        ),
        comment("on the response", Q, "mine-id"),
        comment("on a span of that name", Q, "mine-id", "span"),
        comment("on the rollout", Q, "ro", "trace"),
        ReportFiled(id="report", source="app", author=Q, kind="dogfood", text="odd", response_id="mine-id"),
        PreferenceGiven(
            id="preferred",
            source="app",
            author=Q,
            first=Target(kind="response", id="other"),
            second=Target(kind="response", id="mine-id"),
            choice="first",
        ),
        MetricObserved(id="metric", source="app", metric="kept", value=1, person_id="q-1", response_id="mine-id"),
    )
    assert claimed(home) == {
        "mine", "rollout", "on the message", "on the trace", "on the span", "on the conversation", "on the response",
        "on the rollout", "report", "preferred", "metric",
    }  # fmt: skip


def test_a_response_without_a_person_belongs_to_whom_its_conversation_belongs_to(home: Home):
    land(
        home,
        served("mine", person_id="p-1", conversation_id="c"),
        served("second turn", conversation_id="c"),
        ResponseServed(id="copy", source="importer", response_id="second turn-id", conversation_id="imported"),
        served("third turn", conversation_id="imported"),
        served("elsewhere", conversation_id="d"),
        comment("on the third", Q, "third turn-id"),
        comment("on the other", Q, "elsewhere-id"),
    )
    assert claimed(home) == {"mine", "second turn", "copy", "third turn", "on the third"}


def test_what_is_another_persons_too_is_not_theirs_to_claim(home: Home):
    land(
        home,
        served("mine", person_id="p-1", conversation_id="shared"),
        served("theirs", person_id="q-1", conversation_id="shared"),
        served("nobodys", conversation_id="shared"),
        comment("on the conversation", Q, "shared", "conversation"),
        comment("on theirs", Q, "theirs-id"),
        comment("on mine", Q, "mine-id"),
    )
    assert claimed(home) == {"mine", "on mine"}
    both = (Request("app", "ask", "p-1", NOON), Request("app", "ask too", "q-1", NOON))
    assert claimed(home, *both) >= {"theirs", "nobodys", "on the conversation"}


def test_only_what_arrived_by_then_and_what_comes_again(home: Home):
    land(home, comment("before", P, "x"))
    land(home, comment("at once", P, "x"), at=NOON)
    land(home, comment("after", P, "x"), comment("before", P, "x"), at=AFTER)
    marks = Search(home, [Request("app", "ask", "p-1", NOON)], everything(home)).run(pl.DataFrame(schema=MARKS)).marks
    assert sorted(marks["log_offset"]) == [0, 1, 3]


def test_an_event_that_was_first_is_not_taken_for_its_copy(home: Home):
    land(home, comment("one id", Q, "x"), comment("one id", P, "x"))
    marks = Search(home, [Request("app", "ask", "p-1", NOON)], everything(home)).run(pl.DataFrame(schema=MARKS)).marks
    assert marks["log_offset"].to_list() == [1]


def test_anonymous_ids_that_are_theirs_alone(home: Home):
    def seen(name: str, person: str | None, anonymous: str) -> ExposureLogged:
        said: dict[str, Any] = {"experiment_id": "e", "variant": "a", "person_id": person, "anonymous_id": anonymous}
        return ExposureLogged(id=name, source="app", **said)

    land(
        home,
        seen("before signing in", None, "device"),
        seen("signed in", "p-1", "device"),
        seen("on a shared one", None, "shared"),
        seen("mine on it", "p-1", "shared"),
        seen("theirs on it", "q-1", "shared"),
    )
    assert claimed(home) == {"before signing in", "signed in", "mine on it"}


def test_what_was_worked_out_from_it_whenever_it_came(home: Home):
    land(home, comment("said", P, "x"), served("mine", person_id="p-1"), comment("other", Q, "x"))
    judged: dict[str, Any] = {
        "source": "judge",
        "author": Author(kind="code", id="judge-1"),
        "metric": "judge/negative",
        "epoch": 1,
    }
    scored: dict[str, Any] = {
        "source": "eval",
        "spec_id": "s",
        "checkpoint_id": "c",
        "job_id": "job-1",
        "epoch": 1,
        "scorer": "s",
    }
    land(
        home,
        *(
            ScoreGiven(
                id=f"of {event}",
                target=Target(kind="response", id="x"),
                data_type="numeric",
                value=1,
                native_id=f"app|{event}",
                job_id="job-1",
                **judged,
            )
            for event in ("said", "other")
        ),
        *(
            TextLabelled(
                id=f"labelled {event}",
                source="m",
                comment_key=f"app|{event}",
                text_hash="0",
                modes=(),
                labelled_by="ann",
            )
            for event in ("said", "other")
        ),
        *(EvalSampleScored(id=f"scored {event}", sample_id=f"app|{event}", **scored) for event in ("mine", "other")),
        at=AFTER,
    )
    assert claimed(home) == {"said", "mine", "of said", "scored mine", "labelled said"}


def test_what_is_no_event_goes_by_the_id_or_a_text_in_its_bytes(home: Home):
    land(home, comment("said", P, "x", text=SENTENCE))
    land(
        home,
        b'{"user": "p-1", "text": "cut sh',
        f'{{"text": "{SENTENCE}", "user": null'.encode(),
        b'{"user": "p-12"',
        b"\xff p-1 \xff",
        b"nothing of theirs",
    )
    refused: dict[str, Any] = {"source": "import", "file_import_id": "i", "reason": "no time"}
    land(
        home,
        RowRefused(id="their row", row=1, text='{"user":"p-1","said":"bad"}', **refused),
        RowRefused(id="their line", row=2, text=f'7;"{SENTENCE}"', **refused),
        RowRefused(id="another's", row=3, text="q-1;fine", **refused),
    )
    land(home, b'{"user": "p-1", "again', at=AFTER)
    assert claimed(home) == {"said", "bad 1", "bad 2", "bad 4", "their row", "their line"}
