"""CUPS: what Copilot showed, what became of it, and what the participants said they were doing; and their survey.

A suggestion that was shown is a response; accepting or rejecting it is a score by the person that saw it. Rows are in
the order of their session (`seq`), which is not always that of their clocks. Left out: measurements of the editor.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.importers.base import (
    UNNAMED,
    Context,
    Importer,
    Options,
    Refused,
    Row,
    Unfit,
    identified,
    inner,
    listed,
    text_of,
)
from ingest.importers.csv_rows import read_table
from ingest.importers.feedback import Given
from ingest.importers.json_rows import parse_json, read_lines
from ingest.importers.moments import exported_moment
from ingest.importers.reported import whole
from ingest.importers.sample import Sample
from ingest.importers.votes import Score, as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.feedback import Author, Target
from models.ids import event_id

SOURCE = "import/copilot_cups"
SURVEY = "Which best describes your programming experience?"
LIKERT = ("strongly disagree", "disagree", "neither agree or disagree", "agree", "strongly agree")
KINDS = ("Shown", "Accepted", "Rejected", "Replay", "Browsing")
DECIDED = {"Accepted": 1.0, "Rejected": 0.0}


def read(path: Path, options: Options) -> Iterator[Row]:
    """Telemetry as JSON lines, or the survey as a table."""
    if path.name.removesuffix(".gz").endswith(".csv"):
        yield from read_table(path).rows
    else:
        yield from read_lines(path, options)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """What the row says. Raises Unfit for another kind of row, Refused for one that nothing was shown before."""
    if SURVEY in row:
        return _survey(row, context)
    kind, session, seq = text_of(row.get("event")), text_of(row.get("session")), whole(row.get("seq"))
    if kind is None or session is None or seq is None:
        raise Unfit("not a row of CUPS: it needs session, seq and event")
    if kind not in KINDS:
        raise Refused(f"the event {kind!r} is none of {', '.join(KINDS)}")
    response_id, is_new = _about(row, kind, session, seq, context.texts)
    given = Given(
        source=context.source(SOURCE),
        key=("copilot_cups", session, seq),
        target=Target(kind="response", id=response_id),
        author=Author(kind="human", id=text_of(row.get("user_id"))),
        metric="accepted",
        occurred_at=exported_moment(row.get("time_generated")),
        native_id=f"{session}/{seq}",
        sequence=seq,
    )
    found = [_shown(row, response_id, session, given)] if is_new else []
    if kind in DECIDED:
        found.append(given.score(Score("boolean", DECIDED[kind])))
        edits = [as_float(each) for each in listed(row, "edit_percentage")]
        for place, share in enumerate(edits, 1) if kind == "Accepted" else ():
            if share is not None:
                found.append(given._replace(metric=f"edited_{place}").score(Score("numeric", share)))
    if state := text_of(row.get("labeled_state")):
        found.append(given._replace(metric="activity").score(Score("categorical", label=state)))
    return found


def _about(row: Json, kind: str, session: str, seq: int, known: dict[str, str]) -> tuple[str, bool]:
    """(the response that the row is about, whether it is shown for the first time). What was decided on is what stood
    there last with the same words; a replay of words that were never shown shows them."""
    last, same = f"shown/{session}", f"shown/{session}/{row.get('suggestion')}"
    is_new = kind == "Shown" or (kind not in DECIDED and same not in known)
    if is_new:
        known[last] = known[same] = f"cups/{session}/{seq}"
    response_id = known.get(same) or known.get(last)
    if response_id is None:
        raise Refused(f"{kind} with nothing shown before it in session {session}")
    return response_id, is_new


def _shown(row: Json, response_id: str, session: str, given: Given) -> AnyEvent:
    response = ResponseServed(
        id=UNNAMED,
        source=given.source,
        occurred_at=given.occurred_at,
        response_id=response_id,
        completion=_suggestion(row.get("suggestion")),
        conversation_id=f"cups/{session}",
        person_id=given.author.id,
        latency_ms=as_float(inner(row, "measurements").get("promptComputeTimeMs")),
    )
    return identified(response, response_id)


def _suggestion(text: Any) -> str | None:
    """The suggestion is JSON in a text; one that was cut off in the export is what is left of it."""
    try:
        said = parse_json(text) if isinstance(text, str) else text
    except ValueError:
        said = text
    return said if isinstance(said, str) else None


def _survey(row: Json, context: Context) -> list[AnyEvent]:
    """A participant's answers: a score of the study for each statement, a report for what was typed."""
    key, place = context.occurrence(row)
    author, source = f"survey/{key[:12]}/{place}", context.source(SOURCE)
    given = Given(
        source=source,
        key=("copilot_cups", "survey", key, place),
        target=Target(kind="conversation", id="cups/survey"),
        author=Author(kind="human", id=author),
        metric="survey",
        occurred_at=None,
        native_id=None,
    )
    found: list[AnyEvent] = []
    for question, answer in row.items():
        said = text_of(answer)
        if said is None:
            continue
        each = given._replace(metric=f"survey/{_slug(question)}")
        if said.lower() in LIKERT:
            found.append(each.score(Score("numeric", float(LIKERT.index(said.lower()) + 1), said), (1.0, 5.0)))
        elif question.startswith("Is there anything else"):
            report = ReportFiled(
                id=event_id("copilot_cups", "survey", key, place, "report"),
                source=source,
                author=given.author,
                kind="dogfood",
                text=str(answer),
            )
            found.append(report)
        else:
            found.append(each.score(Score("categorical", label=said)))
    return found


def _slug(question: str) -> str:
    """The first words of a question as a name, whatever line breaks and apostrophes are in it."""
    return "_".join(re.findall(r"[a-z0-9]+", question.lower()))[:80].strip("_")


def _fits(sample: Sample) -> bool:
    return sample.any_row("session", "hidden_state", "event", "suggestion") or sample.table(SURVEY)


COPILOT_CUPS = Importer(
    "copilot-cups",
    "Suggestions shown, accepted and rejected, or the survey after: telemetry.jsonl.gz",
    read,
    events,
    SOURCE,
    fits=_fits,
)
