"""Which code a build was made by: a build by other code starts cold, since old rows would be of the old code."""

import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = (
    "transforms",
    "models",
    "text",
    "stats",
    "ingest/lake",
    "ingest/jobs",
    "ingest/vectors.py",
    "requirements.lock",  # another scikit-learn fits another classifier
)
SUFFIXES = (".py", ".sql", ".yml", ".csv", ".lock")


@functools.cache
def code_digest(root: Path = ROOT) -> str:
    """16 hexadecimal digits of the SHA-256 of all in the checkout `root` that a build's outcome depends on."""
    digest = hashlib.sha256()
    for source in SOURCES:
        place = root / source
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in SUFFIXES and "target" not in path.parts:
                digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
