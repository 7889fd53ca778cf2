"""Tables on stdout: folded to a terminal's width, whole in a pipe."""

from rich.console import Console
from rich.table import Table


def show(table: Table) -> None:
    """Print `table`."""
    out = Console(markup=False, highlight=False)
    if not out.is_terminal:
        out.width = 100_000  # what a pipe reads is never folded
        out.width = out.measure(table).maximum
    out.print(table)
