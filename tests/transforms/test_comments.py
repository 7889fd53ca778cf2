"""Every column that people read explains itself in the file."""

from pathlib import Path
from typing import Any

import duckdb

from transforms.comments import Description, write_comments

READ = "(table_name ^@ 'fct_' or table_name ^@ 'dim_' or table_name ^@ 'sync_' or table_name = 'stg_quarantine')"


def test_every_mart_and_each_of_its_columns_says_what_it_is(sampled: Any) -> None:
    silent = sampled.ask(f"select table_name, column_name from duckdb_columns() where {READ} and comment is null")
    assert silent == []
    tables = sampled.ask(
        f"select table_name, comment from duckdb_tables() where {READ} "
        "union all select view_name, comment from duckdb_views() where view_name = 'stg_quarantine'"
    )
    assert len(tables) >= 30
    assert [table for table, comment in tables if "One row per" not in (comment or "")] == []


def test_what_is_said_already_is_not_said_again_and_what_is_new_is(tmp_path: Path) -> None:
    file = tmp_path / "any.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute('create table rows as select 1 as one, 2 as "two ""words"; create view seen as from rows')
    said = {
        "rows": Description(
            "It's rows. One row per row.", {"one": "The first; not 'the' only.", 'two "words': "More."}
        ),
        "seen": Description("The same.", {"one": "The first."}),
        "not there": Description("Of another build.", {"one": "1"}),
    }
    assert write_comments(file, said) == 5
    assert write_comments(file, said) == 0
    with duckdb.connect(file) as connection:
        connection.execute("create or replace table rows as select 1 as one")
    assert write_comments(file, said) == 2
    with duckdb.connect(file) as connection:
        found = connection.execute(
            "select comment from duckdb_columns() where table_name = 'rows' and not internal "
            "union all select comment from duckdb_tables()"
        ).fetchall()
    assert found == [("The first; not 'the' only.",), ("It's rows. One row per row.",)]
