"""A part of the benchmark: a table for people and figures for the file."""

from typing import NamedTuple


class Section(NamedTuple):
    """What one part measured."""

    title: str
    lines: tuple[str, ...]
    """The table, as it is printed."""
    figures: dict[str, float | int | str | bool]
    """Keys of the JSON file; no two sections share one."""


def table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> tuple[str, ...]:
    """Lines of columns as wide as their widest cell; numbers stand to the right."""
    cells = [heads, *([f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    is_number = [all(isinstance(row[column], (int, float)) for row in rows) for column in range(len(heads))]
    return tuple(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, is_number, strict=True)
        ).rstrip()
        for row in cells
    )
