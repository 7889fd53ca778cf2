"""Following the builds: what `--watch` of the commands that read the warehouse does."""

import time
from collections.abc import Iterator
from pathlib import Path

from ingest.home import Home

EVERY_S = 2.0
"""How often the symlink is looked at. A look costs a system call."""


def builds(home: Home, *, watch: bool) -> Iterator[Path | None]:
    """The published generation, once; with `watch` then each new one, for ever. None: there is none yet."""
    seen: Path | None = None
    while True:
        current = home.warehouse.resolve() if home.warehouse.exists() else None
        if not watch or current not in (seen, None):
            yield current
            seen = current
        if not watch:
            return
        time.sleep(EVERY_S)
