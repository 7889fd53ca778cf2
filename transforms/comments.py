"""What tables and columns mean, as comments in the file: `duckdb_columns().comment` says it to whoever has only that.

Instead of dbt's own `persist_docs`, which says all of it at every build, table by table.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from transforms.merging import UNMERGED


class Description(NamedTuple):
    """Of one table or view, by the project."""

    text: str
    columns: Mapping[str, str]


def write_comments(file: Path, described: Mapping[str, Description]) -> int:
    """Write those comments that the tables and views of `file` lack, as a table that was made anew does; how many."""
    with duckdb.connect(file, config=UNMERGED) as connection:
        statements = [
            f"comment on {'view' if view else 'table'} {_quoted(table)} is {_literal(text)}"
            for table, view, said in connection.execute(RELATIONS).fetchall()
            if table in described and (text := described[table].text) != said
        ]
        statements += [
            f"comment on column {_quoted(table)}.{_quoted(column)} is {_literal(text)}"
            for table, column, said in connection.execute(COLUMNS).fetchall()
            if table in described and (text := described[table].columns.get(column, "")) and text != said
        ]
        if statements:
            connection.execute(";".join(["begin", *statements, "commit"]))
        return len(statements)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


RELATIONS = """
select table_name, false as is_view, comment from duckdb_tables() where schema_name = 'main' and not temporary
union all
select view_name, true, comment from duckdb_views() where schema_name = 'main' and not internal
order by 1
"""

COLUMNS = """
select table_name, column_name, comment from duckdb_columns() where schema_name = 'main' and not internal order by 1, 2
"""
