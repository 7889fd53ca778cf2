"""Two warehouses side by side: which tables are not the same."""

from pathlib import Path

import duckdb


def differing(one: Path, other: Path) -> list[str]:
    """Tables whose rows are not the same in both warehouses, counted with copies, but for what names the build."""
    with duckdb.connect() as connection:
        connection.execute(f"attach '{one}' as one (read_only)")
        connection.execute(f"attach '{other}' as other (read_only)")
        tables = {
            catalog: {
                row[0]
                for row in connection.execute(
                    "select table_name from duckdb_tables() where database_name = ?", [catalog]
                ).fetchall()
                if not row[0].startswith("flywheel_build")
            }
            for catalog in ("one", "other")
        }
        found = sorted(tables["one"] ^ tables["other"])
        for table in sorted(tables["one"] & tables["other"]):
            rows = connection.execute(
                f"select count(*) from ((from one.{table} except all from other.{table}) union all "
                f"(from other.{table} except all from one.{table}))"
            ).fetchall()
            if rows != [(0,)]:
                found.append(table)
        return found
