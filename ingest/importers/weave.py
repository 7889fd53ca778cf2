"""W&B Weave feedback: reactions, notes and annotations on a call, one JSON line (or a member of an array) each.

A thumb is one whatever its skin tone; another emoji is a label. Left out: the outputs of scorers (`wandb.runnable.*`)
that are no single value: those are kept as their JSON.
"""

from typing import Any

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, inner, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, read_thumb
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/weave"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The call as a response, and the reaction, note or score. Raises Unfit for another kind of row."""
    ref, kind = text_of(row.get("weave_ref")), text_of(row.get("feedback_type"))
    if not (ref and kind):
        raise Unfit("not Weave feedback: it needs weave_ref and feedback_type")
    call = ref.rpartition("/call/")[2].partition("/")[0] if "/call/" in ref else ""
    if not call:
        raise Refused(f"the feedback is on {ref}, which is no call")
    project = text_of(row.get("project_id"))
    source = context.source(SOURCE if project is None else f"{SOURCE}/{project}")
    machine = kind.startswith("wandb.runnable")
    native_id = text_of(row.get("id"))
    given = Given(
        source=source,
        key=("weave", native_id) if native_id else ("weave", *context.occurrence(row)),
        target=Target(kind="span", id=call),
        author=Author(
            kind="code" if machine else "human", id=author_id(text_of(row.get("wb_user_id") or row.get("creator")))
        ),
        metric=kind.removeprefix("wandb.").partition(".1")[0],
        occurred_at=exported_moment(row.get("created_at")),
        native_id=native_id,
    )
    return [known_response(source, call, span_id=call), _said(inner(row, "payload"), kind, given)]


def _said(payload: Json, kind: str, given: Given) -> AnyEvent:
    if kind.startswith("wandb.reaction"):
        emoji = text_of(payload.get("detoned") or payload.get("emoji"))
        if emoji is None:
            raise Refused("the reaction has no emoji")
        thumb = read_thumb(emoji)
        if thumb in ("up", "down"):
            return given._replace(metric="thumb").thumb(thumb)
        return given.score(Score("categorical", label=emoji))
    if kind.startswith("wandb.note"):
        note = payload.get("note")
        if not isinstance(note, str):
            raise Refused("the note has no text")
        return given.comment(note)
    value: Any = payload.get("value", payload.get("output", payload))
    return given.verdict(value)


WEAVE = Importer(
    "weave",
    "Reactions, notes and annotations on calls: feedback.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("weave_ref", "feedback_type"),
)
