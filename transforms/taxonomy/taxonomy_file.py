"""A team's taxonomy as a YAML file: read with errors that name the line, compared with what the log says, written.

The shape is in docs/taxonomy.md. A field that a known mode's entry leaves out stays as it is; null takes it away. What
the file says already is no event, so that a file may be imported again and again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from models.errors import TerminalError
from models.events.taxonomy import ModeAccepted, ModeDefined, ModePart, ModeRetired, Words
from models.feedback import EventKey, Name
from text.normal_form import normal_form
from transforms.taxonomy.changes import SOURCE, Word, find
from transforms.taxonomy.fold import RESERVED, Mode, Taxonomy

LEARNT_FROM: Final = 5
"""Examples from which on the classifier learns a mode (int_mode_examples)."""

ModeId = Annotated[str, StringConstraints(pattern="^[a-z0-9][a-z0-9_-]*$", max_length=64)]

Path_ = tuple[str | int, ...]
Marks = dict[Path_, int]
"""Place in the file, as in ("modes", 0, "examples", 3) -> line, from 1."""


class Entry(BaseModel):
    """A mode in the file. `id` alone says that it stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: ModeId
    name: Words | None = None
    parent: Name | None = None
    definition: Words | None = None
    not_this: Words | None = None
    owner: Name | None = None
    examples: list[Words] = []
    """Texts that show it, written by the team."""
    comments: list[EventKey] = []
    """Event keys of comments that show it."""


class Content(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    modes: list[Entry]
    retire: list[Name] = []
    """Ids of modes that the team does not want."""


class TaxonomyFile(NamedTuple):
    """What a file says, and where."""

    name: str
    content: Content
    marks: Marks

    def fault(self, place: Path_, what: str) -> TerminalError:
        """An error that names the file, the line and the place in it."""
        while place and place not in self.marks:
            place = place[:-1]
        return TerminalError(f"{self.name}:{self.marks.get(place, 1)}: {'.'.join(map(str, place)) or 'file'}: {what}")


class Imported(NamedTuple):
    """What a file changes."""

    events: list[ModeDefined | ModeAccepted | ModeRetired]
    unlearnt: list[str]
    """Ids of the modes in it that have too few examples to be learnt."""


def read(path: str | Path) -> TaxonomyFile:
    """The file at `path`. Raises TerminalError, with its line, for what is not of the documented shape."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        untyped: Any = yaml
        node: Any = untyped.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise TerminalError(f"{name} is not UTF-8: byte {error.object[error.start]:#x} at {error.start}") from error
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise TerminalError(f"{name}:{mark.line + 1 if mark else 1}: not YAML: {problem}") from error
    marks: Marks = {}
    found = TaxonomyFile(name, Content(modes=[]), marks)
    for place, line, twice in _places(node, ()):
        if twice:
            marks[place] = line
            raise found.fault(place, "the key stands here twice")
        marks[place] = line
    try:
        content = Content.model_validate(yaml.safe_load(text))
    except ValidationError as error:
        first = error.errors()[0]
        raise found.fault(first["loc"], f"{first['msg']}{_shown(first)}") from error
    found = found._replace(content=content)
    _consistent(found)
    return found


def changes(known: Taxonomy, file: TaxonomyFile, word: Word, *, replace: bool = False) -> Imported:
    """What the file says that the log does not say yet; `replace`: modes that it does not name are retired.

    Raises TerminalError, with the line, for a name that is taken, a mode without a name, and parents in a circle.
    """
    events: list[ModeDefined | ModeAccepted | ModeRetired] = []
    unlearnt: list[str] = []
    wanted = {entry.id for entry in file.content.modes}
    unwanted = {find(known, each).mode_id for each in file.content.retire}
    if replace:
        unwanted |= {mode.mode_id for mode in known.modes.values() if mode.stands} - wanted
    for number, entry in enumerate(file.content.modes):
        mode = known.modes.get(entry.id)
        defined = _defined(file, number, entry, mode, word)
        for other in known.modes.values():
            if other.stands and other.mode_id not in (wanted | unwanted) and _same(other.name, defined.name):
                raise file.fault(("modes", number, "name"), f"the name {defined.name!r} is taken by {other.mode_id}")
        if mode is None or _said(mode) != _said_of(defined):
            events.append(defined)
        if mode is not None and (not mode.stands or mode.status == "proposed"):
            reason = word.reason or f"in {Path(file.name).name}"
            events.append(
                ModeAccepted(
                    id=word.event_id("mode_accepted", entry.id),
                    source=SOURCE,
                    occurred_at=word.at,
                    mode_id=entry.id,
                    accepted_by=word.by,
                    reason=reason,
                )
            )
        if (mode is None or mode.origin == "team") and len(defined.examples + defined.example_keys) < LEARNT_FROM:
            unlearnt.append(entry.id)
    events += [
        ModeRetired(
            id=word.event_id("mode_retired", each), source=SOURCE, occurred_at=word.at, mode_id=each,
            retired_by=word.by, reason=word.reason or f"not in {Path(file.name).name}",
        )
        for each in known.modes
        if each in unwanted and known.modes[each].status != "retired"
    ]  # fmt: skip
    _no_circle(known, file)
    return Imported(events, unlearnt)


def parts(file: TaxonomyFile) -> list[ModePart]:
    """The modes of the file as parts of a split. Raises TerminalError for fields that a part does not have."""
    found: list[ModePart] = []
    for number, entry in enumerate(file.content.modes):
        for name in ("parent", "owner"):
            if getattr(entry, name) is not None:
                raise file.fault(("modes", number, name), "a part has that of the mode that is split: leave it out")
        found.append(
            ModePart(
                mode_id=entry.id, name=entry.name, definition=entry.definition, not_this=entry.not_this,
                examples=tuple(entry.examples), example_keys=tuple(entry.comments),
            )
        )  # fmt: skip
    if file.content.retire:
        raise file.fault(("retire",), "a split retires what it splits, and nothing else")
    return found


def dump(known: Taxonomy) -> str:
    """The modes that stand and are not only proposed, as a file that says what the log says."""
    entries: list[dict[str, Any]] = []
    for mode in known.modes.values():
        if mode.stands and mode.status != "proposed":
            fields = {
                "id": mode.mode_id, "name": mode.name, "parent": mode.parent, "definition": mode.definition,
                "not_this": mode.not_this, "owner": mode.owner, "examples": list(mode.examples),
                "comments": list(mode.example_keys),
            }  # fmt: skip
            entries.append({name: value for name, value in fields.items() if value})
    return yaml.safe_dump({"modes": entries}, sort_keys=False, allow_unicode=True, width=100)


def _places(node: Any, place: Path_) -> Iterator[tuple[Path_, int, bool]]:
    """Every place below `node` with its line, and whether a key of it stands there for the second time."""
    if node is None:
        return
    yield place, node.start_mark.line + 1, False
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            below = (*place, str(key.value))
            if key.value in seen:
                yield below, key.start_mark.line + 1, True
            seen.add(key.value)
            yield from _places(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _places(value, (*place, number))


def _consistent(file: TaxonomyFile) -> None:
    """Raises TerminalError for what no single field shows: ids, names and examples that repeat, reserved ids."""
    ids: set[str] = set()
    names: set[str] = set()
    texts: dict[str, str] = {}
    for number, entry in enumerate(file.content.modes):
        if entry.id in RESERVED:
            raise file.fault(("modes", number, "id"), f"{entry.id!r} is no failure mode: the rest is told from it")
        if entry.id in ids:
            raise file.fault(("modes", number, "id"), f"{entry.id!r} stands in the file twice")
        ids.add(entry.id)
        if entry.name is not None:
            if entry.name.casefold() in names:
                raise file.fault(("modes", number, "name"), f"the name {entry.name!r} stands in the file twice")
            names.add(entry.name.casefold())
        for place, example in enumerate(entry.examples):
            other = texts.setdefault(normal_form(example), entry.id)
            if other != entry.id:
                raise file.fault(("modes", number, "examples", place), f"it is an example of {other} as well")
    for place, each in enumerate(file.content.retire):
        if each in ids:
            raise file.fault(("retire", place), f"{each!r} stands among the modes as well")


def _defined(file: TaxonomyFile, number: int, entry: Entry, mode: Mode | None, word: Word) -> ModeDefined:
    given = entry.model_fields_set
    name = entry.name or (mode.name if mode else None)
    if name is None:
        raise file.fault(("modes", number), f"{entry.id!r} is a new mode: give it a name")

    def field(wanted: str) -> Any:
        return getattr(entry, wanted) if wanted in given or mode is None else getattr(mode, wanted)

    return ModeDefined(
        id=word.event_id("mode_defined", entry.id), source=SOURCE, occurred_at=word.at, mode_id=entry.id, name=name,
        parent=field("parent"), definition=field("definition"), not_this=field("not_this"), owner=field("owner"),
        examples=tuple(field("examples")),
        example_keys=tuple(entry.comments if "comments" in given or mode is None else mode.example_keys),
        defined_by=word.by,
    )  # fmt: skip


def _said(mode: Mode) -> tuple[object, ...]:
    return (
        mode.name, mode.parent, mode.definition, mode.not_this, mode.owner, tuple(mode.examples),
        tuple(mode.example_keys),
    )  # fmt: skip


def _said_of(event: ModeDefined) -> tuple[object, ...]:
    return (
        event.name, event.parent, event.definition, event.not_this, event.owner, event.examples, event.example_keys
    )  # fmt: skip


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _no_circle(known: Taxonomy, file: TaxonomyFile) -> None:
    parents = {mode.mode_id: mode.parent for mode in known.modes.values()}
    parents |= {entry.id: entry.parent for entry in file.content.modes if "parent" in entry.model_fields_set}
    for number, entry in enumerate(file.content.modes):
        line: Sequence[str] = [entry.id]
        while (above := parents.get(line[-1])) is not None:
            if above in line:
                raise file.fault(("modes", number, "parent"), f"parents in a circle: {' < '.join([*line, above])}")
            line = [*line, above]


def _shown(error: Any) -> str:
    """The value that was refused, where it is short."""
    value = error.get("input")
    return f", not {value!r}" if isinstance(value, (str, int, float, bool)) and len(str(value)) < 80 else ""
