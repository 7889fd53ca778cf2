"""A repository laid out for work: a clean copy, rooms that run it, and what its suite does.

Left out: what is made of it (`evals.tasks.generate.attempt`).
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from evals.cleanroom import Limits
from evals.cleanroom.copy import clean_copy
from evals.cleanroom.tools import tools
from evals.tasks.folder import lay
from evals.tasks.generate.baseline import Baseline, baseline
from evals.tasks.generate.pieces import Piece, pieces
from evals.tasks.generate.trials import Trials
from evals.tasks.layout import Layout, read_layout

WORKERS = min(os.cpu_count() or 1, 8)
ROOMS = max(3, WORKERS)
"""Each of a hash seed of its own."""

Show = Callable[[int, int], None]


class Shop(NamedTuple):
    """What all attempts at one repository share."""

    layout: Layout
    seen: Baseline
    trials: Sequence[Trials]
    """Three at least, of different hash seeds."""
    tools: Path
    tool_names: tuple[str, ...]
    out: Path
    pieces: list[Piece]
    notes: list[str]
    unstable: set[str]
    """Tests that were seen to fail on the whole tree. Grows."""


@contextmanager
def open_shop(
    repo: Path, out: Path, *, package: str | None = None, seed: int = 0, tool_names: tuple[str, ...] = ("pytest",),
    limits: Limits | None = None, suite_seconds: float = 300.0, test_seconds: float = 5.0, most_mb: int = 64,
    tool_folder: Path | None = None, show: Show = lambda done, total: None,
) -> Generator[Shop]:  # fmt: skip
    """Copy `repo`, look at its suite once, and keep rooms ready until the block ends. Tasks go below `out`.

    Raises as `evals.tasks.generate.run.generate` does, whose arguments these are.
    """
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="flywheel-generate-")))
        home.chmod(0o711)
        copied = clean_copy(repo, home / "copied", package=package, max_mb=most_mb)
        layout = read_layout(home / "copied", package)
        found, notes = _pieces(layout)
        notes += [f"{path} is a submodule: its files are not there" for path in copied.submodules]
        notes += [f"{path} is kept by git LFS: its content is not there" for path in copied.pointers]
        lay(layout.raw, home / "tree")
        under_test = {layout.package, *(module.split(".")[0] for module in layout.sources.values())}
        folder = tool_folder or tools(tool_names, home / "tools", but_not=under_test)
        trials = [
            Trials(home / "tree", folder, layout.roots, seed * 100 + each + 1, limits or Limits())
            for each in range(ROOMS)
        ]
        for each in trials:
            stack.callback(each.close)
        seen = baseline(trials[:WORKERS], layout, suite_seconds, test_seconds, show)
        for each in trials:
            each.close()  # started anew, with what the suite needs loaded once
        out.mkdir(parents=True, exist_ok=True)
        yield Shop(layout, seen, trials, folder, tool_names, out, found, notes, set())


def _pieces(layout: Layout) -> tuple[list[Piece], list[str]]:
    found: list[Piece] = []
    notes: list[str] = []
    for path, module in sorted(layout.sources.items()):
        try:
            found += pieces(path, module, layout.texts[path])
        except KeyError:
            notes.append(f"{path} is no text in UTF-8: left alone")
        except SyntaxError as error:
            notes.append(f"{path}:{error.lineno} is no Python of this version: left alone ({error.msg})")
    return found, notes
