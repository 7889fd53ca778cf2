"""Asking for a person to be erased: one request on the log, and none where there is nothing to erase."""

from datetime import UTC, datetime
from uuid import uuid4

from pydantic import ValidationError

from ingest.erasure.carry_out import pending, preview
from ingest.erasure.requests import SOURCE, Request
from ingest.home import Home
from ingest.log.base import EventLog
from ingest.log.publish import publish
from ingest.sink import Sink
from models.errors import TerminalError
from models.events.privacy import ErasureRequested


def ask(home: Home, log: EventLog, person_id: str, reason: str | None = None) -> str | None:
    """Put a request for `person_id` on the log, unless one waits already; the id of the one that waits.

    None where nothing of the person is left to erase: nothing is written then. Lands what the log holds. Raises
    TerminalError for what can be no person's id, or no reason.
    """
    request = _request(str(uuid4()), person_id, reason)
    for waiting in pending(home, log):
        if waiting.person_id == person_id:
            return waiting.request_id
    Sink(log, home).drain()
    if not preview(home, [would_be(person_id)]):
        return None
    publish(log, [request])
    return request.id


def would_be(person_id: str) -> Request:
    """A request that arrives now, to see what it would take. Raises TerminalError for what can be no person's id."""
    return Request(SOURCE, "", _request("none", person_id).person_id, datetime.now(UTC))


def _request(request_id: str, person_id: str, reason: str | None = None) -> ErasureRequested:
    try:
        return ErasureRequested(id=request_id, source=SOURCE, person_id=person_id, reason=reason)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise TerminalError(
            f"{fault['loc'][0]} {str(fault['input'])[:60]!r} can't be asked for: {fault['msg']}. Give the id as "
            "products send it, and a reason in UTF-8"
        ) from error
