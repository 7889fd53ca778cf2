"""Every column that people read explains itself in the file."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb

from transforms.comments import Description, write_comments

ROOT = Path(__file__).parents[2]
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


def test_the_pages_of_dbt_are_made_as_the_guide_says(sampled: Any, tmp_path: Path) -> None:
    guide = (ROOT / "docs/marts.md").read_text().split("## What a column means")[1]
    commands = guide.split("```sh\n")[1].split("```")[0]
    (tmp_path / "transforms").symlink_to(ROOT / "transforms")
    (tmp_path / ".flywheel").symlink_to(sampled.home.path)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "-ec", commands], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "fct_failure_mode_impact" in (tmp_path / "docs-of-dbt/static_index.html").read_text()
