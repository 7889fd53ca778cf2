"""`flywheel sql`: one query on the published warehouse, read-only."""

import csv
import json
import sys
from datetime import datetime
from decimal import Decimal
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import existing_home, placed
from flywheel.tables import show
from ingest.reader import query


@click.command()
@placed
@click.argument("statement")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def sql(statement: str, form: str) -> None:
    """Run one STATEMENT on the published warehouse. Works while everything else runs.

    \b
    Examples:
      flywheel sql "show tables"
      flywheel sql "select * from dim_failure_modes" --format json
      flywheel sql "select day, sum(negative_count) from fct_failure_mode_daily group by 1" --format csv
    """
    columns, rows = query(existing_home(), statement)
    if form == "json":
        click.echo(json.dumps([dict(zip(columns, map(plain, row), strict=True)) for row in rows], ensure_ascii=False))
    elif form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([plain(value) for value in row] for row in rows)
    else:
        table = Table(*columns, box=box.SIMPLE_HEAD)
        for row in rows:
            table.add_row(*map(cell, row))
        show(table)
        click.echo(f"{len(rows)} row{'' if len(rows) == 1 else 's'}", err=True)


def cell(value: Any) -> str:
    """A value as a person reads it in a table: numbers to six digits, nothing for null."""
    if isinstance(value, float | Decimal):
        return f"{value:.6g}"
    return "" if value is None else str(plain(value))


def plain(value: Any) -> Any:
    """A value as JSON and CSV can say it: times in RFC 3339, decimals as numbers, everything else as text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return str(value)
