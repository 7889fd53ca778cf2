"""Rows of a query as a table of a page: sorted and cut as the address asks, or whole as CSV.

A query is ours, never the reader's: the address names only columns of the table, and numbers.
"""

from collections.abc import Sequence
from typing import Any

from dashboards.address import BadAddress
from dashboards.page import Asked
from dashboards.table import Column, Row, Table

PART = 25
"""Rows that a page shows at once."""
FARTHEST_PART = 100_000
CSV_ROWS = 100_000
"""Most rows of a CSV file; its last line says so where there are more."""


def listing(  # noqa: PLR0917
    asked: Asked,
    name: str,
    caption: str,
    columns: Sequence[Column],
    sql: str,
    parameters: Sequence[Any] = (),
    *,
    order: str,
    size: int = PART,
    counted: bool = True,
    empty: str = "None yet.",
    mart: str = "",
) -> Table:
    """The table `name`: the part of the rows of `sql` that the address asks for.

    `order` is the page's own, as SQL, and decides ties. `counted`: whether counting all rows is cheap; else the table
    knows only whether more follow. The address has `sort.<name>` and `part.<name>`. Raises BadAddress.
    """
    columns = shown_columns(asked, columns)
    chosen = chosen_order(asked, name, columns)
    by = (
        f'"{chosen.lstrip("-")}" {"desc" if chosen.startswith("-") else "asc"} nulls last, {order}' if chosen else order
    )
    if asked.as_csv is not None:
        if asked.as_csv != name:
            return Table(name, caption, tuple(columns), [])
        rows = asked.rows(f"select * from ({sql}) order by {by} limit {CSV_ROWS + 1}", *parameters)
        return Table(name, caption, tuple(columns), hidden(asked, columns, rows[:CSV_ROWS]), more=len(rows) > CSV_ROWS)
    part = asked.address.whole(f"part.{name}", 1, least=1, most=FARTHEST_PART)
    total = int(asked.row(f"select count(*) as n from ({sql})", *parameters)["n"]) if counted else None
    limit = f"limit {size + 1} offset {(part - 1) * size}"
    rows = asked.rows(f"select * from ({sql}) order by {by} {limit}", *parameters)
    return Table(
        name, caption, tuple(columns), hidden(asked, columns, rows[:size]), total, part, size, len(rows) > size,
        chosen, empty, mart,
    )  # fmt: skip


def shown_columns(asked: Asked, columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns as this reader may use them: by words that are hidden nobody sorts, which would tell of them."""
    return tuple(
        column._replace(sortable=False) if column.kind == "words" and not asked.reads_words else column
        for column in columns
    )


def chosen_order(asked: Asked, name: str, columns: Sequence[Column]) -> str:
    """The column that the address sorts table `name` by, with `-` before it for the greatest first; "" for none."""
    chosen = asked.address.text(f"sort.{name}")
    if chosen and chosen.removeprefix("-") not in {column.name for column in columns if column.sortable}:
        known = ", ".join(column.name for column in columns if column.sortable)
        raise BadAddress(
            f"sort.{name} is {chosen[:40]!r}: give one of {known}, with - before it for the greatest first"
        )
    return chosen


def hidden(asked: Asked, columns: Sequence[Column], rows: list[Row]) -> list[Row]:
    """The rows without what people wrote, for those who may not read it."""
    words = [column.name for column in columns if column.kind == "words"]
    if asked.reads_words or not words:
        return rows
    return [{**row, **dict.fromkeys(words)} for row in rows]


def of_rows(
    asked: Asked,
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: list[Row],
    *,
    size: int = PART,
    empty: str = "None yet.",
    mart: str = "",
) -> Table:
    """The same for rows that are at hand, in the page's own order."""
    columns = shown_columns(asked, columns)
    chosen = chosen_order(asked, name, columns)
    if chosen:
        key = chosen.removeprefix("-")
        there = [row for row in rows if row[key] is not None]
        there.sort(key=lambda row: row[key], reverse=chosen.startswith("-"))
        rows = [*there, *(row for row in rows if row[key] is None)]
    if asked.as_csv is not None:
        return Table(name, caption, tuple(columns), hidden(asked, columns, rows))
    part = asked.address.whole(f"part.{name}", 1, least=1, most=FARTHEST_PART)
    first = (part - 1) * size
    shown = hidden(asked, columns, rows[first : first + size])
    more = len(rows) > first + size
    return Table(name, caption, tuple(columns), shown, len(rows), part, size, more, chosen, empty, mart)
