"""GitHub issues as dogfood reports: a webhook's payload, or the list that the REST API gives.

The text is the title and, where there is one, the body. Reactions are on the report, not on an answer of a model:
labels and no thumbs. Pull requests are rows without feedback. Left out: milestones, assignees.
"""

from typing import Any, cast

from ingest.importers.base import UNNAMED, Context, Importer, Unfit, inner, listed, text_of
from ingest.importers.feedback import Given
from ingest.importers.json_rows import read_objects
from ingest.importers.moments import exported_moment
from ingest.importers.reactions import reactions
from ingest.importers.sample import Sample
from ingest.importers.votes import Score
from models.events import AnyEvent
from models.events.base import Json
from models.events.report import ReportFiled
from models.feedback import Author, Target

SOURCE = "import/github"
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The report (a comment's, where the payload is about one), labels and reactions. Raises Unfit for other rows."""
    issue = inner(row, "issue") or row
    number, title = text_of(issue.get("number")), text_of(issue.get("title"))
    if number is None or title is None:
        raise Unfit("not a GitHub issue: it needs number and title")
    if issue.get("pull_request"):
        return []
    comment = inner(row, "comment")
    written = comment or issue
    repository = text_of(inner(row, "repository").get("full_name")) or _repository(issue)
    native_id = f"{repository}#{number}" + (f"/{comment.get('id')}" if comment else "")
    updated_at = exported_moment(written.get("updated_at"))
    given = Given(
        source=context.source(f"{SOURCE}/{repository}"),
        key=("github", native_id),
        target=Target(kind="message", id=native_id),
        author=Author(kind="human", id=text_of(inner(written, "user").get("login"))),
        metric="reaction",
        occurred_at=exported_moment(written.get("created_at")),
        native_id=native_id,
        sequence=round(updated_at.timestamp() * 1_000) if updated_at else None,
    )
    body: Any = written.get("body")
    parts = [body] if comment else [title, body]
    report = ReportFiled(
        id=UNNAMED,
        source=given.source,
        occurred_at=given.occurred_at,
        author=given.author,
        kind="dogfood",
        text="\n\n".join(part for part in parts if isinstance(part, str) and part.strip()),
        link=text_of(written.get("html_url")),
        sequence=given.sequence,
        native_id=native_id,
    )
    found: list[AnyEvent] = [given.with_id(report)]
    for label in [] if comment else listed(issue, "labels"):
        name = text_of(cast(Json, label).get("name") if isinstance(label, dict) else label)
        if name:
            found.append(given._replace(metric=f"label/{name}").score(Score("categorical", label=name)))
    totals = inner(written, "reactions")
    for name in REACTIONS:
        if isinstance(totals.get(name), int) and totals[name]:
            found += reactions(given, name, totals[name], [])
    return found


def _repository(issue: Json) -> str:
    """`owner/name` out of the issue's address."""
    parts = (text_of(issue.get("repository_url")) or "").rsplit("/", 2)
    return "/".join(parts[-2:]) if len(parts) == 3 else "unknown"


def _fits(sample: Sample) -> bool:
    return sample.any_row("action", "issue", "repository") or sample.any_row("number", "title", "repository_url")


GITHUB = Importer(
    "github",
    "Issues, as a webhook or the REST API gives them: issues.json",
    read_objects,
    events,
    SOURCE,
    fits=_fits,
)
