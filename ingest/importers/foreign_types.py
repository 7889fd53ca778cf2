"""CloudEvents of other producers whose type says what ours do: a table of types, and a row of it as an event.

Types are told without the producer's reversed domain before them. A home's own come from the table that `--values`
names, `[[types]]`. Left out: types that no table has; they are refused, since nobody knows what they say.
"""

import re
import tomllib
from functools import cache
from typing import Any, Literal, NamedTuple, cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Refused, text_of
from ingest.importers.moments import exported_moment
from models.errors import TerminalError
from models.events import AnyEvent
from models.events.base import Json
from models.events.comment import CommentLeft
from models.events.privacy import ErasureRequested
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target, TargetKind

OURS = """
[[types]]
type = "feedback.thumb.set.v1"
means = "thumb"
value = "data.rating"

[[types]]
type = "feedback.thumb.cleared.v1"
means = "cleared"

[[types]]
type = "feedback.comment.left.v1"
means = "comment"
value = "data.text"

[[types]]
type = "privacy.erasure.requested.v1"
means = "erasure"
"""


class Foreign(NamedTuple):
    """What a type means, and where its parts lie: `data.user_id` is a field of the payload, `subject` an attribute."""

    means: Literal["thumb", "cleared", "comment", "erasure"]
    value: str
    target: str
    target_kind: TargetKind
    author: str


def foreign(row: Json, context: Context) -> AnyEvent | None:
    """The event that `row` means; None where no table has its type. Raises Refused for one that lacks what it needs."""
    table = {**types_in(OURS), **types_in(context.options.get("values", ""))}
    type_ = str(row.get("type"))
    kind = table.get(type_) or table.get(re.sub(r"^(?:com|org|net|io|dev|ai)\.[^.]+\.", "", type_))
    if kind is None:
        return None
    person = author_id(_found(row, kind.author) or text_of(row.get("key")))
    base: Json = {"id": text_of(row.get("id")), "source": text_of(row.get("source"))}
    base["occurred_at"] = exported_moment(row.get("time"))
    if kind.means == "erasure":
        if person is None:
            raise Refused(f"{type_} names nobody: {kind.author} is empty")
        return ErasureRequested(**base, person_id=person, reason=type_)
    target = _found(row, kind.target) or text_of(row.get("subject"))
    if target is None:
        raise Refused(f"{type_} names no target: {kind.target} is empty")
    base |= {"target": Target(kind=kind.target_kind, id=target), "author": Author(kind="human", id=person)}
    if kind.means == "comment":
        return CommentLeft(**base, text=_found(row, kind.value) or "")
    if kind.means == "cleared":
        return ThumbGiven(**base, thumb=None)
    thumb = context.thumb(_found(row, kind.value))
    if thumb is None:
        raise Refused(f"{type_}: the rating {_found(row, kind.value)!r} is neither up nor down")
    return ThumbGiven(**base, thumb=None if thumb == "cleared" else thumb)


@cache
def types_in(text: str) -> dict[str, Foreign]:
    """Type -> meaning, of a table in TOML. Raises TerminalError for one that can't be read."""
    found: dict[str, Foreign] = {}
    try:
        rows = cast(list[dict[str, Any]], tomllib.loads(text).get("types", []))
        for row in rows:
            if row["means"] not in ("thumb", "cleared", "comment", "erasure"):
                raise ValueError(f"means = {row['means']!r} is none of thumb, cleared, comment, erasure")
            found[str(row["type"])] = Foreign(
                row["means"],
                str(row.get("value", "data.value")),
                str(row.get("target", "data.message_id")),
                row.get("target_kind", "message"),
                str(row.get("author", "data.user_id")),
            )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise TerminalError(f"the table of types can't be read: {error!r}: see docs/importers.md") from error
    return found


def _found(row: Json, path: str) -> str | None:
    """The text at `path`; None where there is none."""
    content: Any = row
    for name in path.split("."):
        content = cast(Json, content).get(name) if isinstance(content, dict) else None
    return str(content).lower() if isinstance(content, bool) else text_of(content)
