"""Which code a build was made by: a build by other code starts cold, since old rows would be of the old code."""

import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("transforms", "models", "text", "ingest/lake", "ingest/jobs", "ingest/vectors.py")
SUFFIXES = (".py", ".sql", ".yml", ".csv")


@functools.cache
def code_digest() -> str:
    """16 hexadecimal digits of the SHA-256 of everything that a build's outcome depends on, but for the lake."""
    digest = hashlib.sha256()
    for source in SOURCES:
        place = ROOT / source
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in SUFFIXES and "target" not in path.parts:
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
