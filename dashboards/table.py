"""A table of a page: its columns, the rows that are shown, and what its address says of order and part.

The same description makes the table in HTML and the whole of it as CSV. Left out: where rows come from (`listing.py`).
"""

from typing import Any, Literal, NamedTuple

Row = dict[str, Any]
Kind = Literal[
    "text", "words", "code", "whole", "figure", "percent", "seconds", "moment", "day", "state", "interval", "estimate",
    "effect", "effect_interval", "spark",
]  # fmt: skip
"""`words` are what a person wrote, which viewers don't see. `interval` and `effect_interval` read `<name>_low` and
`<name>_high`; `estimate` and `effect` are in the unit of the row's metric, see `measure.py`."""

NUMBERS = frozenset({"whole", "figure", "percent", "seconds", "interval", "estimate", "effect", "effect_interval"})
INTERVALS = frozenset({"interval", "effect_interval"})


class Column(NamedTuple):
    """One column."""

    name: str
    title: str
    kind: Kind = "text"
    link: str | None = None
    """Path of a page that takes this column's value, or that of `link_by`, as `id`."""
    link_by: str | None = None
    sortable: bool = True
    hint: str | None = None
    """What it means, in a sentence."""

    @property
    def is_number(self) -> bool:
        """Whether it stands right."""
        return self.kind in NUMBERS


class Table(NamedTuple):
    """Rows with what is needed to show them."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: list[Row]
    total: int | None = None
    """Rows in all; None: not counted."""
    part: int = 1
    """Which part is shown, from 1."""
    size: int = 0
    """Rows a part; 0: all are shown."""
    more: bool = False
    """Whether there is a next part."""
    order: str = ""
    """Column that it is sorted by, with `-` before it where the greatest is first; "" the page's own order."""
    empty: str = "None yet."
    mart: str = ""
    """Where its rows stand in SQL."""

    @property
    def first(self) -> int:
        """Number of the first row shown, from 1."""
        return (self.part - 1) * self.size + 1
