"""Looking for a word in every byte of a home: as it lies on disk, and as whoever opens the file would read it."""

from pathlib import Path

import duckdb
import polars as pl


def holding(home: Path, words: list[str]) -> list[str]:
    """Files of `home` that hold one of `words`, by their place in it, with the word."""
    found: list[str] = []
    for file in home.rglob("*"):
        if file.is_file() and not file.is_symlink():
            contents = readings(file)
            held = [word for word in words if any(word.encode() in content for content in contents)]
            found += [f"{file.relative_to(home)}: {word}" for word in held]
    return sorted(found)


def readings(file: Path) -> list[bytes]:
    """The bytes of a file, and what they say once unpacked."""
    raw = file.read_bytes()
    found = [raw, raw.replace(b"\x00", b"")]  # UTF-16, too
    if file.suffix == ".parquet" and raw[:4] == b"PAR1":
        for column in pl.read_parquet(file, glob=False).iter_columns():
            if column.dtype.is_nested() and not isinstance(column.dtype, pl.Struct):
                continue  # vectors
            values: list[object] = column.to_list()
            found += [value for value in values if isinstance(value, bytes)]
            found.append(str(values).encode())
    if file.suffix == ".duckdb":
        with duckdb.connect(file, read_only=True) as connection:
            for (table,) in connection.execute("select table_name from duckdb_tables()").fetchall():
                found.append(str(connection.execute(f'from "{table}"').fetchall()).encode())
    return found
