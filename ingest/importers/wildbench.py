"""WildBench: a judge model scored an answer from 1 to 10 and wrote down its weaknesses.

The answers themselves are not in the file, so each response is served with unknown text, once, whoever judged it. The
strengths are left out: they are no complaint.
"""

from ingest.importers.base import Context, Importer, Unfit, text_of
from ingest.importers.feedback import Given
from ingest.importers.json_rows import read_lines
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.response import ResponseServed
from models.feedback import Author, Target
from models.ids import event_id

SOURCE = "import/wildbench"
METRIC = "wildbench_score"
SCALE = (1.0, 10.0)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The response, its score, and a comment where weaknesses were written. Raises Unfit for another kind of row."""
    session, bench, model, judge = (
        text_of(row.get(name)) for name in ("session_id", "bench_version", "model_test", "judge")
    )
    if not (session and bench and model and judge):
        missing = [
            name for name in ("session_id", "bench_version", "model_test", "judge") if not text_of(row.get(name))
        ]
        raise Unfit(f"not a WildBench judgement: no {', '.join(missing)}")
    response_id = f"wildbench/{session}/{bench}/{model}"
    served = ResponseServed(
        id=event_id("wildbench", "response", session, bench, model),
        source=SOURCE,
        response_id=response_id,
        conversation_id=session,
        model=model,
    )
    native_id = f"{session}/{bench}/{model}/{judge}"
    given = Given(
        source=SOURCE,
        key=("wildbench", native_id),
        target=Target(kind="response", id=response_id),
        author=Author(kind="llm", id=judge),
        metric=METRIC,
        occurred_at=None,
        native_id=native_id,
    )
    found: list[AnyEvent] = [served, given.score(_score(row), SCALE)]
    weaknesses = row.get("weaknesses")
    if isinstance(weaknesses, str) and weaknesses.strip():
        found.append(given.comment(weaknesses))
    return found


def _score(row: Json) -> Score:
    """What the judge said; where it failed or said nothing that can be read, an error and no number."""
    value = as_float(row.get("score"))
    readable = value is not None and SCALE[0] <= value <= SCALE[1] and not isinstance(row.get("score"), bool)
    if row.get("judge_error") or not readable:
        return Score("numeric", status="errored")
    return Score("numeric", value)


WILDBENCH = Importer(
    "wildbench",
    "Judges' scores and written weaknesses, a JSON line each: judgments.jsonl.gz",
    read_lines,
    events,
    SOURCE,
    fits=with_keys("session_id", "model_test", "judge"),
)
