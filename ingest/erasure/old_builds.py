"""Builds that still have what was erased go at once, whatever grace readers are given otherwise.

A reader that has one open reads it to the end of its question; the next question is answered by the newest.
"""

import shutil

from ingest.erasure.derived import remove
from ingest.erasure.sweep import generation
from ingest.home import Home
from ingest.reader import query
from models.errors import TransientError


def remove_old_builds(home: Home, stems: list[str]) -> None:
    """Remove every build but the published one. The caller holds the lock `build`.

    Raises TransientError where the published one was made before the last erasure.
    """
    if not home.warehouse.exists():
        return
    made_after = query(home, "select erasures from flywheel_build").rows[0][0]
    if made_after != generation(home):
        raise TransientError(f"{home.warehouse} was made before the last erasure: flywheel build, then this again")
    live = home.warehouse.resolve().parent
    for folder in sorted(home.builds.iterdir()):
        if folder == live:
            continue
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            for stem in stems:
                remove(home, stem, file, 0)
        shutil.rmtree(folder, ignore_errors=True)
