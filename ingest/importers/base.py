"""What an importer is: how a file of one tool becomes rows, and how a row becomes events.

Which events are new, counting and appending are `run.py`'s part: an importer only reads.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from ingest.importers.meanings import Meanings, read_meanings
from ingest.importers.sample import Sample
from ingest.importers.votes import Thumb, read_thumb
from models.events import AnyEvent
from models.events.base import Event, Json
from models.ids import digest, event_id

Options = Mapping[str, str]
"""What the person said about the file: `dates`, `zone`, `scale`, `source`, `target_kind`, `delimiter`, `producer`,
`version`, `corrects`, `values` (the text of a table of meanings), and `map.FIELD` for each column of a table. The same
file with other options is another import."""

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
        self.warnings: Counter[str] = Counter()
        """What the person should know of rows that were taken all the same -> how many there are."""
        self._meanings: Meanings | None = None
        self._occurrences: Counter[str] = Counter()

    @property
    def meanings(self) -> Meanings:
        """What values mean, by producer and version: ours and, before them, those that the person gave."""
        if self._meanings is None:
            self._meanings = read_meanings(self.options.get("values"))
        return self._meanings

    def thumb(self, value: Any, version: str | None = None, producer: str | None = None) -> Thumb | None:
        """The thumb that `value` is, in the words of the producer and version that the row, else the person, names.

        None where nobody names a producer and the value is no thumb. Raises Refused where a table is asked and doesn't
        say what the value means.
        """
        producer = producer or self.options.get("producer")
        if producer is None:
            return read_thumb(value)
        thumb, fault = self.meanings.thumb(producer, version or self.options.get("version"), value)
        if fault:
            raise Refused(fault)
        return thumb

    def source(self, base: str) -> str:
        """`base`, and below it the project that the person named."""
        return f"{base}/{self.options['source']}" if "source" in self.options else base

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
    fits: Callable[[Sample], bool]
    """Whether a file whose beginning looks like this is of this format: how a format that isn't named is found."""
    topics: tuple[str, ...] = ("responses", "feedback")
    """The topics that its events go to, but `imports`, which every import writes to."""
    folder: str | None = None
    """The files of a folder that is one export, as a pattern below it; None where a folder can't be given."""
    named: bool = False
    """True where the file's name says something that its rows don't: renamed, it is another import."""
    general: bool = False
    """True for a format that others are cases of: it is found only where no other fits."""


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


def inner(row: Json, name: str) -> Json:
    """The object under `name`; an empty one where there is none."""
    found = row.get(name)
    return cast(Json, found) if isinstance(found, dict) else {}


def listed(row: Json, name: str) -> list[Any]:
    """The list under `name`; an empty one where there is none. Raises Refused for what is no list."""
    found = row.get(name)
    if found is not None and not isinstance(found, list):
        raise Refused(f"{name} is {type(found).__name__}, not a list")
    return cast(list[Any], found or [])


def objects(row: Json, name: str) -> list[Json]:
    """The objects in the list under `name`. Raises Refused for what is no list, and for a member that is no object."""
    found = listed(row, name)
    odd = next((each for each in found if not isinstance(each, dict)), None)
    if odd is not None or None in found:
        raise Refused(f"{name} holds {type(odd).__name__}, not objects only")
    return cast(list[Json], found)
