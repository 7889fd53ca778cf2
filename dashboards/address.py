"""What a page's address asks for: filters, dates, order, the part of a table. All state of a page is in its address."""

from collections.abc import Mapping
from datetime import date
from urllib.parse import urlencode

from models.errors import FlywheelError
from models.unicode import printable

LONGEST = 512
"""Characters of a value; ids are at most as long."""


class BadAddress(FlywheelError):
    """An address that no page of ours leads to."""


class Address:
    """A path and its parameters. Each method checks what it gives, and raises BadAddress."""

    def __init__(self, path: str, parameters: Mapping[str, str]) -> None:
        self.path = path
        self.parameters = dict(parameters)

    def text(self, name: str) -> str:
        """A text, "" where the address has none."""
        value = self.parameters.get(name, "").strip()
        if len(value) > LONGEST or "\0" in value:
            raise BadAddress(f"{name} has {len(value):,} characters or a NUL: give at most {LONGEST}")
        return printable(value)

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number from `least` to `most`."""
        value = self.parameters.get(name)
        if value is None or value == "":
            return default
        if not (value.isascii() and value.isdigit()) or len(value) > 9 or not least <= int(value) <= most:
            raise BadAddress(f"{name} is {printable(value[:40])!r}: give a whole number from {least:,} to {most:,}")
        return int(value)

    def day(self, name: str) -> date | None:
        """A day as `2026-12-31`, None where the address has none."""
        value = self.parameters.get(name)
        if not value:
            return None
        try:
            return date.fromisoformat(value)
        except ValueError as error:
            raise BadAddress(f"{name} is {printable(value[:40])!r}: give a day as 2026-12-31") from error

    def choice(self, name: str, among: tuple[str, ...], default: str = "") -> str:
        """One of `among`, or the default."""
        value = self.parameters.get(name) or default
        if value != default and value not in among:
            raise BadAddress(f"{name} is {printable(value[:40])!r}: give one of {', '.join(among)}")
        return value

    def but(self, **changes: str | int | None) -> str:
        """This address with some parameters changed; None and "" take one away. Names may have `.` as `__`."""
        left = {**self.parameters}
        for name, value in changes.items():
            left[name.replace("__", ".")] = "" if value is None else str(value)
        return to(self.path, **{name: value for name, value in left.items() if value})


def to(path: str, /, **parameters: str | int | None) -> str:
    """The address of `path` with those parameters that are given."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path
