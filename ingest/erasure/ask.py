"""Asking for a person to be erased: one request on the log, and none where there is nothing to erase."""

from datetime import UTC, datetime
from uuid import uuid4

from ingest.erasure.carry_out import pending, preview
from ingest.erasure.requests import SOURCE, Request
from ingest.home import Home
from ingest.log.base import EventLog
from ingest.log.publish import publish
from ingest.sink import Sink
from models.events.privacy import ErasureRequested


def ask(home: Home, log: EventLog, person_id: str, reason: str | None = None) -> str | None:
    """Put a request for `person_id` on the log, unless one waits already; the id of the one that waits.

    None where nothing of the person is left to erase: nothing is written then. Lands what the log holds.
    """
    for request in pending(home, log):
        if request.person_id == person_id:
            return request.request_id
    Sink(log, home).drain()
    if not preview(home, [would_be(person_id)]):
        return None
    request_id = str(uuid4())
    publish(log, [ErasureRequested(id=request_id, source=SOURCE, person_id=person_id, reason=reason)])
    return request_id


def would_be(person_id: str) -> Request:
    """A request that arrives now, to see what it would take."""
    return Request(SOURCE, "", person_id, datetime.now(UTC))
