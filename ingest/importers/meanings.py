"""What a producer's values mean, by its version: the same number may say another thing after an upgrade.

A table is TOML, one `[[values]]` for each producer and range of versions. The person's tables (`--values FILE`, and
`values.toml` in the home) come before ours. A version that no table covers has no meaning: the row is refused, since a
guess would turn a withdrawn vote into a bad one.
"""

import re
import tomllib
from typing import Any, NamedTuple, cast

from ingest.importers.votes import Thumb
from models.errors import TerminalError

OURS = """
# Chainlit kept -1, 0 and 1, where 0 was a vote taken back, and keeps 0 and 1 since, where 0 is down.
[[values]]
producer = "chainlit"
until = "1.1"
up = ["1"]
down = ["-1"]
cleared = ["0"]

[[values]]
producer = "chainlit"
from = "1.1"
up = ["1"]
down = ["0"]

# The number of a feedback's own shape, not of a release. Written as a number or as text; an arena's vote can be null.
[[values]]
producer = "openwebui"
from = "0"
until = "1"
up = ["1"]
down = ["-1"]
cleared = ["0", "null"]
"""

WORDS: tuple[Thumb, ...] = ("up", "down", "cleared")


class Meaning(NamedTuple):
    """What values mean in versions from `first` (it included; None: ever since) until `end` (it left out)."""

    producer: str
    first: tuple[int, ...] | None
    end: tuple[int, ...] | None
    thumbs: dict[str, Thumb]
    said: str
    """The range in words."""

    def covers(self, version: tuple[int, ...] | None) -> bool:
        """Whether `version` lies in the range; an unknown one only in a range without ends."""
        if version is None:
            return self.first is None and self.end is None
        return (self.first is None or self.first <= version) and (self.end is None or version < self.end)


class Meanings:
    """The tables, those of the person first."""

    def __init__(self, tables: list[Meaning]) -> None:
        self._tables = tables

    @property
    def producers(self) -> list[str]:
        """Whose values are known."""
        return sorted({table.producer for table in self._tables})

    def thumb(self, producer: str, version: str | None, value: Any) -> tuple[Thumb | None, str | None]:
        """(the thumb, None), or (None, why `value` has no meaning)."""
        there = [table for table in self._tables if table.producer == producer.lower()]
        numbers = _numbers(version) if version else None
        table = next((table for table in there if table.covers(numbers)), None)
        if table is None:
            known = ", ".join(table.said for table in there) or "none"
            return None, (
                f"what {value!r} means in {producer} {version or 'of an unknown version'} is not known "
                f"(known: {known}): say it in a table, with --values FILE"
            )
        thumb = table.thumbs.get(_plain(value))
        if thumb is None:
            return None, f"{producer} {table.said} has no value {value!r}: known are {', '.join(sorted(table.thumbs))}"
        return thumb, None


def read_meanings(text: str | None) -> Meanings:
    """Our tables, behind those in `text`. Raises TerminalError for a table that can't be read."""
    return Meanings([*(_tables(text) if text else []), *_tables(OURS)])


def _tables(text: str) -> list[Meaning]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TerminalError(f"the table of values can't be read: {error}: see docs/importers.md") from error
    rows: Any = content.get("values", [] if "types" in content else None)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in cast(list[Any], rows)):
        raise TerminalError("the table of values has no [[values]]: see docs/importers.md")
    return [_table(cast(dict[str, Any], row)) for row in cast(list[Any], rows)]


def _table(row: dict[str, Any]) -> Meaning:
    producer = row.get("producer")
    unknown = row.keys() - {"producer", "from", "until", *WORDS}
    if not isinstance(producer, str) or unknown:
        fault = f"knows no {', '.join(sorted(unknown))}" if unknown else "names no producer"
        raise TerminalError(f"a [[values]] {fault}: it has producer, from, until, up, down, cleared")
    thumbs: dict[str, Thumb] = {_plain(value): word for word in WORDS for value in cast(list[Any], row.get(word, []))}
    first, end = (_end(row, name) for name in ("from", "until"))
    said = " ".join(f"{name} {row[name]}" for name in ("from", "until") if name in row) or "of any version"
    return Meaning(producer.lower(), first, end, thumbs, said)


def _end(row: dict[str, Any], name: str) -> tuple[int, ...] | None:
    if name not in row:
        return None
    numbers = _numbers(str(row[name]))
    if numbers is None:
        raise TerminalError(f"a [[values]] of {row['producer']} has {name} = {row[name]!r}: say it as in 1.1")
    return numbers


def _numbers(version: str) -> tuple[int, ...] | None:
    """`v1.10.0` as (1, 10): zeros at the end say nothing. None for what is no version."""
    found = re.match(r"v?(\d{1,9}(?:[.-]\d{1,9})*)", version.strip())
    if not found:
        return None
    numbers = [int(part) for part in re.split(r"[.-]", found[1])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _plain(value: Any) -> str:
    """A value as tables write it: 1, "1" and 1.0 are one, so are null and nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).strip().lower()
    return re.sub(r"\.0+$", "", text) or "null"
