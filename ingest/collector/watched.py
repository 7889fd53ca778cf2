"""Around the whole application: a request id, a count, a duration, and a line in the access log without the body."""

import logging
import re
from itertools import count
from secrets import token_hex
from time import perf_counter
from typing import Any

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from ingest.collector.metrics import Metrics
from models.unicode import printable

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
STATE = "flywheel_request_id"

_BEGINNING = token_hex(4)
_numbers = count(1)

_logger = logging.getLogger("flywheel.collector.access")


class Watched:
    """An ASGI application that watches `app`."""

    def __init__(self, app: ASGIApp, metrics: Metrics, endpoints: frozenset[str], *, access_log: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._endpoints = endpoints
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        request_id = request_id_of(scope)
        status = 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            path = scope["path"].rstrip("/") or "/"
            endpoint = path if path in self._endpoints else "other"
            seconds = perf_counter() - began
            self._metrics.requests.labels(endpoint, str(status)).inc()
            self._metrics.seconds.labels(endpoint).observe(seconds)
            if self._access_log:
                shown = endpoint if endpoint != "other" else repr(printable(scope["path"][:100]))
                _logger.info("%s %s %s %d %.1fms", request_id, scope["method"][:10], shown, status, seconds * 1_000)


def request_id_of(scope: Any) -> str:
    """The sender's id of the request where it is fit for a log, else one of ours; the same at every call."""
    state: dict[str, Any] = scope.setdefault("state", {})
    if STATE not in state:
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        state[STATE] = given.decode() if REQUEST_ID.fullmatch(given) else f"{_BEGINNING}{next(_numbers):08x}"
    return state[STATE]
