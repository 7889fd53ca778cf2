"""A table as CSV (RFC 4180), for spreadsheets: what would be a formula there is a text."""

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from dashboards.table import INTERVALS, Table

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that spreadsheets may carry out. Source: OWASP, "CSV Injection"."""


def as_csv(table: Table) -> bytes:
    """The rows of `table`, names of columns first; an interval is two columns. UTF-8 with a mark, which Excel needs."""
    out = io.StringIO()
    writer = csv.writer(out)
    names = [name for column in table.columns for name in _names(column.name, column.kind)]
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in table.rows)
    if table.more:
        writer.writerow([f"cut after {len(table.rows)} rows: flywheel sql --format csv gives all"])
    return out.getvalue().encode("utf-8-sig")


def _names(name: str, kind: str) -> Iterator[str]:
    if kind in INTERVALS:
        yield from (f"{name}_low", f"{name}_high")
    else:
        yield name


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
