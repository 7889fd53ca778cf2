"""A benchmark that is being put together: what it is for, and what it holds until now.

<home>/bench/<name>/benchmark.json   what it is for
<home>/bench/<name>/draft.jsonl      a line a sample: a task or feedback by its id, or a row of a file

Readable by their owner alone. Text of persons is not copied here: it is read where it stands when a version is frozen.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ingest.durable import make_folder, replace
from ingest.home import Home
from models.errors import TerminalError
from models.ids import FileName, canonical_json, digest
from models.specs import JsonValue

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class Purpose(BaseModel):
    """What a benchmark is for: the same for all its versions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: FileName
    scorer: str | None = None
    """None: what is added first says it."""
    args: dict[str, JsonValue] = {}
    trials: int = 1
    sees: float | None = None
    """The width of an interval from which on it is worn; None: twice its first one."""

    @staticmethod
    def args_of(text: object) -> dict[str, JsonValue]:
        """Arguments of a scorer as a seed has them: a JSON object of scalars."""
        return TypeAdapter(dict[str, JsonValue]).validate_json(str(text))


class Drafted(BaseModel):
    """One sample of a draft, by what it is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["task", "feedback", "row"]
    id: str
    """A task's id, the event key of the feedback or response, or the digest of the row."""
    spec_key: str | None = None
    """Of feedback: the eval that it is evidence for, which says what stands in its sample."""
    row: dict[str, Any] | None = None
    """Of a row: its fields."""
    cluster: str | None = None
    """What samples share their luck through: a repository, a conversation."""


def folder_of(home: Home, name: str) -> Path:
    """Where the benchmark lies. Raises TerminalError for a name that no folder can have."""
    try:
        TypeAdapter(FileName).validate_python(name)
    except ValidationError:
        raise TerminalError(
            f"{name!r} can't name a benchmark: letters, digits, dots, - and _, beginning with a letter or digit"
        ) from None
    return home.path / "bench" / name


def names(home: Home) -> list[str]:
    """The benchmarks of the home, sorted."""
    return sorted(file.parent.name for file in (home.path / "bench").glob("*/benchmark.json"))


def create(home: Home, purpose: Purpose) -> None:
    """Begin a draft. Raises TerminalError where there is a benchmark of this name."""
    folder = folder_of(home, purpose.name)
    if (folder / "benchmark.json").exists():
        raise TerminalError(f"there is a benchmark {purpose.name} already: flywheel bench show {purpose.name}")
    make_folder(folder)
    folder.chmod(PRIVATE_FOLDER)
    replace(folder / "draft.jsonl", b"", mode=PRIVATE_FILE)
    replace(folder / "benchmark.json", purpose.model_dump_json().encode(), mode=PRIVATE_FILE)


def purpose_of(home: Home, name: str) -> Purpose:
    """What the benchmark is for. Raises TerminalError where there is none, naming those there are."""
    file = folder_of(home, name) / "benchmark.json"
    try:
        return Purpose.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        known = ", ".join(names(home)) or "none"
        raise TerminalError(
            f"there is no benchmark {name!r} in {file.parent.parent}; known: {known}. flywheel bench create makes one"
        ) from None
    except ValidationError as error:
        raise TerminalError(f"{file} is not as flywheel wrote it: {error.errors()[0]['msg']}: restore it") from error


def settle(home: Home, purpose: Purpose) -> Purpose:
    """Keep what a benchmark without a scorer is for, now that it is known."""
    replace(folder_of(home, purpose.name) / "benchmark.json", purpose.model_dump_json().encode(), mode=PRIVATE_FILE)
    return purpose


def drafted(home: Home, name: str) -> list[Drafted]:
    """What the draft holds, in the order in which it was added. Raises TerminalError for a line that is no sample."""
    purpose_of(home, name)
    file = folder_of(home, name) / "draft.jsonl"
    found: list[Drafted] = []
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        try:
            found.append(Drafted.model_validate_json(line))
        except ValidationError as error:
            raise TerminalError(f"{file}, line {number}: {error.errors()[0]['msg']}: mend or remove it") from error
    return found


def add(home: Home, name: str, samples: Iterable[Drafted]) -> int:
    """Add what the draft does not hold yet; how many samples these were."""
    with home.lock(f"bench-{name}"):
        held = drafted(home, name)
        known = {(each.kind, each.id) for each in held}
        new: list[Drafted] = []
        for sample in samples:
            if (sample.kind, sample.id) not in known:
                known.add((sample.kind, sample.id))
                new.append(sample)
        lines = [each.model_dump_json(exclude_none=True) for each in (*held, *new)]
        content = "".join(f"{line}\n" for line in lines).encode()
        replace(folder_of(home, name) / "draft.jsonl", content, mode=PRIVATE_FILE)
    return len(new)


def rows_of_file(file: Path, fields: Sequence[str]) -> list[Drafted]:
    """The samples of a JSON Lines file: objects with some of `fields`, and `cluster` if they share their luck.

    Raises TerminalError naming file, line and what is wrong with it.
    """
    found: list[Drafted] = []
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TerminalError(f"{file} can't be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = _object(file, number, line)
        cluster = row.pop("cluster", None)
        if unknown := sorted(row.keys() - set(fields)):
            raise TerminalError(f"{file}, line {number}: unknown field {unknown[0]!r}; known: {', '.join(fields)}")
        if not any(isinstance(value, str) and value.strip() for value in row.values()):
            raise TerminalError(f"{file}, line {number}: no text in it: give prompt, text or episode")
        found.append(
            Drafted(kind="row", id=digest(row)[:32], row=row, cluster=None if cluster is None else str(cluster))
        )
    return found


def _object(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row: object = json.loads(line)
        canonical_json(row)
    except ValueError as error:
        raise TerminalError(f"{file}, line {number}: no JSON: {error}") from error
    if not isinstance(row, Mapping):
        raise TerminalError(f"{file}, line {number}: no JSON object, but {type(row).__name__}")
    return dict(cast("Mapping[str, Any]", row))
