"""The certificate of an erasure: what was rewritten and removed, what was touched by it, and what remains until when.

It holds no text, and of the person only a digest that whoever knows the id and the request can check.
"""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ingest.durable import make_folder, put_if_absent
from ingest.erasure.journal import Touched
from ingest.erasure.log_records import Kept
from ingest.erasure.requests import Request
from ingest.home import Home
from models.events.base import at
from models.ids import canonical_json

LAYOUT = 1


class Certificate(NamedTuple):
    """One request, carried out in one home."""

    request: Request
    home_id: str
    events: dict[str, int]
    """Topic -> records that lost their content, those among them that are no events."""
    files: list[Touched]
    log_records: int
    """Records that were emptied on the log."""
    kept: list[Kept]
    """Records that the log can't rewrite."""
    specs: list[str]
    """Retired."""
    checkpoints: list[str]
    """Trained on data of a retired spec: they stay, and what to do about them is a person's to say."""
    completed_at: datetime

    def content(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "layout": LAYOUT,
            "request": {
                "id": self.request.request_id,
                "source": self.request.source,
                "arrived": at(self.request.until),
                "subject_sha256": subject_digest(self.request),
            },
            "home": self.home_id,
            "completed": at(self.completed_at),
            "events": dict(sorted(self.events.items())),
            "files": [touched._asdict() for touched in self.files],
            "log": {
                "records_emptied": self.log_records,
                "records_kept": [{**kept._asdict(), "until": at(kept.until)} for kept in self.kept],
            },
            "specs_retired": self.specs,
            "checkpoints_trained_on_it": self.checkpoints,
        }


def subject_digest(request: Request) -> str:
    """SHA-256 (hex) of the request's key, a line end, and the person's id."""
    return hashlib.sha256(f"{request.key}\n{request.person_id}".encode()).hexdigest()


def place(home: Home, request: Request) -> Path:
    """Where the certificate of a request lies."""
    return home.erasures / f"{request.stem}.json"


def write(home: Home, certificate: Certificate) -> tuple[dict[str, Any], str]:
    """Keep the certificate in the home; the one that is there, and its SHA-256 (hex): the first written stays."""
    path = place(home, certificate.request)
    make_folder(path.parent)
    put_if_absent(path, canonical_json(certificate.content()).encode() + b"\n")
    content = path.read_bytes()
    return json.loads(content), hashlib.sha256(content).hexdigest()


def now() -> datetime:
    """By this machine's clock, in UTC."""
    return datetime.now(UTC)
