"""Slack's export: a folder with one folder a channel and one file a day. A person's message is a dogfood report.

A reply is a report of its own, whose native id says the thread. Reactions are on the report, not on an answer of a
model: each is a label and no thumb, and the count wins over the users that are listed. An edit comes again under the
same id. Bots, joins and other notices are rows without feedback. Left out: files, and what people are called.
"""

import html
import re
from pathlib import PurePath
from typing import Any

from ingest.importers.base import UNNAMED, Context, Importer, Refused, Unfit, inner, listed, objects, text_of
from ingest.importers.feedback import Given
from ingest.importers.folders import in_folder
from ingest.importers.json_rows import read_lines
from ingest.importers.moments import exported_moment
from ingest.importers.reactions import reactions
from ingest.importers.sample import Sample
from models.events import AnyEvent
from models.events.base import Json
from models.events.report import ReportFiled
from models.feedback import Author, Target

SOURCE = "import/slack"
FILES = "*/*.json [0-9]*.json"
LINK = re.compile(r"<((?:https?|mailto):[^|>]+)(?:\|([^>]*))?>")
WRITTEN = (None, "thread_broadcast", "me_message", "file_share")
"""Subtypes of what a person wrote."""


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The report and its reactions; none for what no person wrote. Raises Unfit for what is no message."""
    ts = text_of(row.get("ts"))
    if ts is None or "text" not in row:
        raise Unfit("not a Slack message: it needs ts and text")
    if row.get("subtype") not in WRITTEN or row.get("bot_id"):
        return []
    channel = text_of(row.get("channel_name")) or PurePath(str(row.get("_file"))).parent.name or "unknown"
    thread, user = text_of(row.get("thread_ts")) or ts, text_of(row.get("user"))
    native_id = f"{channel}/{thread}/{ts}" if thread != ts else f"{channel}/{ts}"
    source = context.source(SOURCE)
    edited = inner(row, "edited").get("ts")
    written, links = _text(str(row["text"]))
    given = Given(
        source=source,
        key=("slack", native_id),
        target=Target(kind="message", id=native_id),
        author=Author(kind="human", id=user),
        metric="reaction",
        occurred_at=exported_moment(ts),
        native_id=native_id,
        sequence=_millis(edited),
    )
    report = ReportFiled(
        id=UNNAMED,
        source=source,
        occurred_at=given.occurred_at,
        author=given.author,
        kind="dogfood",
        text=written,
        link=links[0] if links else None,
        sequence=given.sequence,
        native_id=native_id,
    )
    return [given.with_id(report), *_reactions(row, given)]


def _reactions(row: Json, given: Given) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    for reaction in objects(row, "reactions"):
        name, users = (
            text_of(reaction.get("name")),
            [str(user) for user in listed(reaction, "users")],
        )
        count = reaction.get("count", len(users))
        if name is None or not isinstance(count, int) or isinstance(count, bool):
            raise Refused(f"the reaction {reaction!r} has no name or no count")
        found += reactions(given, re.sub(r"::skin-tone-\d", "", name), count, users)
    return found


def _text(text: str) -> tuple[str, list[str]]:
    """What was written, with links as `label (address)`, and the addresses."""
    links = [found[0] for found in LINK.findall(text)]
    plain = LINK.sub(lambda found: f"{found[2]} ({found[1]})" if found[2] else found[1], text)
    return html.unescape(plain), [html.unescape(link) for link in links]


def _millis(ts: Any) -> int | None:
    moment = exported_moment(ts)
    return None if moment is None else round(moment.timestamp() * 1_000)


def _fits(sample: Sample) -> bool:
    return sample.any_row("ts", "text", "user") or sample.any_row("ts", "text", "subtype")


SLACK = Importer(
    "slack",
    "A channel's messages, or the folder of the whole export: slack_export/",
    in_folder(FILES, read_lines),
    events,
    SOURCE,
    fits=_fits,
    folder=FILES,
)
