"""TensorZero feedback: a metric's value on an inference or an episode, a comment, or a demonstration, a JSON line each.

An inference is a response, an episode a conversation. Left out: variants, which the inference itself would tell.
"""

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, inner, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import Sample
from ingest.importers.votes import Score
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target
from models.ids import canonical_json

SOURCE = "import/tensorzero"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The inference as a response, and what was said of it. Raises Unfit for another kind of row."""
    metric = text_of(row.get("metric_name"))
    if metric is None or "value" not in row:
        raise Unfit("not TensorZero feedback: it needs metric_name and value")
    inference, episode = text_of(row.get("inference_id")), text_of(row.get("episode_id"))
    about = inference or episode
    if about is None:
        raise Refused("the feedback names neither inference_id nor episode_id")
    native_id, user = text_of(row.get("id")), text_of(inner(row, "tags").get("user_id"))
    source = context.source(SOURCE)
    person = user is not None or metric in ("comment", "demonstration")
    given = Given(
        source=source,
        key=("tensorzero", native_id) if native_id else ("tensorzero", *context.occurrence(row)),
        target=Target(kind="response" if inference else "conversation", id=about),
        author=Author(kind="human" if person else "code", id=author_id(user)),
        metric=metric,
        occurred_at=exported_moment(row.get("timestamp")),
        native_id=native_id,
    )
    value = row["value"]
    text = value if isinstance(value, str) else canonical_json(value)
    response = known_response(source, about, conversation_id=episode)
    if metric == "comment":
        return [response, given.comment(text)]
    if metric == "demonstration":
        return [response, given._replace(metric="correction").score(Score("correction", label=text))]
    return [response, given.verdict(value)]


def _fits(sample: Sample) -> bool:
    return any(sample.any_row("metric_name", "value", about) for about in ("inference_id", "episode_id"))


TENSORZERO = Importer(
    "tensorzero",
    "Feedback on inferences and episodes: feedback.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=_fits,
)
