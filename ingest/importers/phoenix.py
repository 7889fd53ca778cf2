"""Phoenix span annotations: the API's document with `data`, or the same rows as JSON lines.

Each annotator of a span is kept (`identifier` tells them apart), the explanation is the comment. Left out: annotations
of documents and sessions.
"""

from typing import Any, cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, as_float, is_thumb_name, read_thumb
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, AuthorKind, Target

SOURCE = "import/phoenix"
KINDS: dict[str, AuthorKind] = {"HUMAN": "human", "LLM": "llm", "CODE": "code"}


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Thumb or score, the explanation, and the response of the span. Raises Unfit for another kind of row."""
    span, name = text_of(row.get("span_id")), text_of(row.get("name"))
    kind = KINDS.get(str(row.get("annotator_kind")).upper())
    if not (span and name and kind):
        raise Unfit("not a Phoenix annotation: it needs span_id, name and annotator_kind (HUMAN, LLM or CODE)")
    result: Json = cast(Json, row["result"]) if isinstance(row.get("result"), dict) else {}
    project = context.options.get("source")
    base = f"{SOURCE}/{project}" if project else SOURCE
    native_id = text_of(row.get("id"))
    given = Given(
        source=f"{base}/{(text_of(row.get('source')) or 'api').lower()}",
        key=("phoenix", project or "", native_id) if native_id else ("phoenix", *context.occurrence(row)),
        target=Target(kind="span", id=span),
        author=Author(kind=kind, id=author_id(text_of(row.get("identifier")) or text_of(row.get("user_id")))),
        metric=name,
        occurred_at=exported_moment(row.get("updated_at") or row.get("created_at")),
        native_id=native_id,
    )
    found: list[AnyEvent] = [known_response(base, span, span_id=span, trace_id=text_of(row.get("trace_id")))]
    explanation = result.get("explanation")
    verdict = _verdict(result.get("score"), result.get("label"), given, explained=explanation is not None)
    found += [] if verdict is None else [verdict]
    if isinstance(explanation, str):
        found.append(given.comment(explanation))
    return found


def _verdict(score: Any, label: Any, given: Given, *, explained: bool) -> AnyEvent | None:
    """The vote or score; None for an explanation that stands alone, which withdraws nothing."""
    if score is None and label is None and explained:
        return None
    if given.author.kind == "human" and is_thumb_name(given.metric):
        thumb = read_thumb(label if score is None else score)
        if thumb is not None:
            return given.thumb(thumb)
    value, text = as_float(score), None if label is None else str(label)
    if value is not None:
        return given.score(Score("boolean" if isinstance(score, bool) else "numeric", value, text))
    return given.score(Score("categorical", label=text, status="skipped" if text is None else "scored"))


PHOENIX = Importer(
    "phoenix",
    "Span annotations from the REST API: span_annotations.json",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("span_id", "name", "annotator_kind", under="data"),
)
