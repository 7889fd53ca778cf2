"""What an importer is: how a file of one tool becomes rows, and how a row becomes events.

Which events are new, counting and appending are `run.py`'s part: an importer only reads.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from models.events import AnyEvent
from models.events.base import Event, Json
from models.ids import digest, event_id

Options = Mapping[str, str]
"""What the person said about the file: `dates`, `zone`, `scale`, `source`, `target_kind`, `delimiter`, and `map.FIELD`
for each column of a table. The same file with other options is another import."""

E = TypeVar("E", bound=Event)


class Row(NamedTuple):
    """A row as it was read. It has content, or the reason why it can't be read."""

    number: int
    """From 1; a table's header and blank lines are no rows."""
    text: str
    """As it stands in the file, for `RowRefused`."""
    content: Json | None
    reason: str | None = None
    position: int = 0
    """Bytes of the file read so far, as they lie on the disk."""


class Refused(Exception):
    """This row of the right format can't become events. The message is the reason that the account shows."""


class Unfit(Refused):
    """This row hasn't the fields of the format. Where the first rows are all unfit, the file is of another format."""


class Context:
    """What the rows of one file know of each other."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.texts: dict[str, str] = {}
        """Message id -> text, of the rows before this one."""
        self._occurrences: Counter[str] = Counter()

    def occurrence(self, content: Json) -> tuple[str, int]:
        """(digest, how-manieth) of a row without an id of its own: two equal votes stay two, and a file that has grown
        gives the rows it had before the ids they had before."""
        key = digest(content)
        self._occurrences[key] += 1
        return key, self._occurrences[key]


class Importer(NamedTuple):
    """One format. `read` raises TerminalError for a file that is none of it; `events` raises `Refused` for a row.

    A row without events is one without feedback: it only gives context to others.
    """

    name: str
    help: str
    """One line, with an example of what the file is."""
    read: Callable[[Path, Options], Iterator[Row]]
    events: Callable[[Json, Context], list[AnyEvent]]
    source: str
    """What the `source` of its events begins with; empty where events bring their own."""


def identified(event: E, *native: str | int | None) -> E:
    """`event` with its id: uuid5 of the tool's own id (`native`), the event's type and what it says.

    A row that changed keeps its native id and gives a new event; a row that didn't gives the one it gave before.
    """
    return event.model_copy(update={"id": event_id(*native, event.type, event.content_hash())})


UNNAMED = "unnamed"
"""Stands in `id` until `identified` has worked it out."""


def text_of(content: Any) -> str | None:
    """An id or a name as text; None where there is none. Empty means none: an id can't be empty."""
    return None if content is None or isinstance(content, bool | dict | list) else str(content).strip() or None
