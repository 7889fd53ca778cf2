"""When row groups that deletes have thinned are merged: in builds that run the tests, and by dbt's connection alone.

A checkpoint merges them by default, and so does closing a file: it writes the last 100,000 rows of a wide table again,
which takes a second of CPU and takes back what a small build has saved. Unmerged ones cost readers little for a while.
"""

Configuration = dict[str, str | bool | int | float | list[str]]

UNMERGED: Configuration = {"max_vacuum_tasks": "0"}
"""Configuration of a connection that merges none."""
MERGED: Configuration = {"max_vacuum_tasks": "100"}
"""DuckDB's default."""
