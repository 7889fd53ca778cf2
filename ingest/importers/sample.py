"""How a file begins: what a format is told by where nobody named it. Reading it is `beginning.py`'s part."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from models.events.base import Json


class Sample(NamedTuple):
    """The beginning of a file. JSON has `rows`, a table `columns` and `rows`, YAML its first keys as one row."""

    path: Path
    rows: tuple[Json, ...] = ()
    columns: tuple[str, ...] = ()
    yaml: bool = False

    @property
    def is_json(self) -> bool:
        """Whether it holds JSON objects."""
        return bool(self.rows) and not self.columns and not self.yaml

    def any_row(self, *names: str, under: str = "") -> bool:
        """Whether one of the first JSON rows, or of those that a document holds as `under`, has all of `names`."""
        inside: list[Any] = [row for outer in self.rows if isinstance(outer.get(under), list) for row in outer[under]]
        return self.is_json and any(
            cast(Json, row).keys() >= set(names) for row in (*self.rows, *inside) if isinstance(row, dict)
        )

    def table(self, *names: str) -> bool:
        """Whether it is a table that has all of `names` as columns."""
        return set(self.columns) >= set(names)


def with_keys(*names: str, under: str = "") -> Callable[[Sample], bool]:
    """Tells JSON rows that have all of `names`, also in a document's list `under`."""
    return lambda sample: sample.any_row(*names, under=under)


def with_columns(*names: str) -> Callable[[Sample], bool]:
    """Tells tables that have all of `names` as columns."""
    return lambda sample: sample.table(*names)
