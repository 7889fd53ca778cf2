"""Which files of a folder the demo imports, and as what."""

from pathlib import Path
from typing import NamedTuple

from models.errors import TerminalError


class Export(NamedTuple):
    """Files that match `pattern`, below the folder, are of `format`."""

    pattern: str
    format: str
    options: tuple[tuple[str, str], ...] = ()


EXPORTS = (
    Export("wildbench*/**/judgments*.jsonl*", "wildbench"),
    Export("oasst*/**/messages_flat*.jsonl*", "oasst"),
    Export("**/langfuse*.json*", "langfuse"),
    Export("**/langsmith*.jsonl*", "langsmith"),
    Export("**/phoenix*.json*", "phoenix"),
    Export("**/sheets*.csv*", "csv", (("dates", "dmy"),)),
)
"""OpenAssistant's `emoji_counts` says the totals of `messages_flat` again, so it is left out."""


def exports(folder: Path) -> list[tuple[Path, Export]]:
    """The files in `folder` that the demo knows, each once. Raises TerminalError if there are none."""
    if not folder.is_dir():
        raise TerminalError(f"--data {folder} is not a folder: name one that holds exports")
    found: dict[Path, Export] = {}
    for export in EXPORTS:
        for path in sorted(folder.glob(export.pattern)):
            if path.is_file():
                found.setdefault(path, export)
    if not found:
        patterns = ", ".join(export.pattern for export in EXPORTS)
        raise TerminalError(f"--data {folder} holds none of {patterns}: see flywheel import --help for single files")
    return list(found.items())
