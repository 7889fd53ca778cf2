"""Ids that come from content, so that the same fact gets the same id wherever and whenever it is written."""

import hashlib
import json
from typing import Annotated, Any
from uuid import UUID, uuid5

from pydantic import StringConstraints

_FILE_NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"

FileName = Annotated[str, StringConstraints(pattern=f"^{_FILE_NAME}$", max_length=128)]
"""An id that names a file or folder in the home: it can't lead anywhere else, whoever wrote the event."""

FilePath = Annotated[str, StringConstraints(pattern=f"^{_FILE_NAME}(/{_FILE_NAME})*$", max_length=512)]
"""A place below the home, relative to it, with / between its names."""

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
"""A SHA-256 in hex. It names files, too."""

NAMESPACE = UUID("6f0c3a52-5f0f-5f0e-9a53-0d1a5c2f7e11")


def event_id(*parts: str | int | float | bool | None) -> str:
    """The uuid5 of `parts`. Parts are joined as JSON, so that ("a", "bc") and ("ab", "c") differ."""
    return str(uuid5(NAMESPACE, canonical_json(list(parts))))


def content_id(prefix: str, content: Any) -> str:
    """`prefix-` and the first 16 hex digits of the SHA-256 of `content` as canonical JSON."""
    return f"{prefix}-{digest(content)[:16]}"


def digest(content: Any) -> str:
    """SHA-256 (hex) of `content` as canonical JSON."""
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def canonical_json(content: Any) -> str:
    """JSON with sorted keys and no white space: equal content gives equal text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
