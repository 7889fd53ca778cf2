"""The collector as an ASGI application: reads a request, offers it to the intake, answers.

Whatever bytes arrive, the answer is a state for each event or a reason: a 5xx other than 503 is a bug of ours.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import ceil
from typing import Any

import msgspec
from litestar import Litestar, Request, Response, get, post
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp

from ingest.collector import cloud_events, flat, openapi, otlp
from ingest.collector.admission import Admission
from ingest.collector.answers import Answer, EventAnswer, Fault, Refusal, Turned, status_of
from ingest.collector.body import Body, Held
from ingest.collector.committer import Committer
from ingest.collector.intake import Intake
from ingest.collector.keys import KeyRing, keys_file
from ingest.collector.metrics import Metrics
from ingest.collector.offered import Offered, Sender, line
from ingest.collector.rate import Rates
from ingest.collector.readiness import Readiness
from ingest.collector.seen import Seen
from ingest.collector.settings import Settings
from ingest.collector.watched import Watched, request_id_of
from ingest.home import Home
from ingest.log import EventLog

HttpRequest = Request[Any, Any, Any]
Read = Callable[[bytes, Sender], list[Offered]]
JSON = "application/json"
LARGE = 65_536
"""Bytes of a body from which it is read in a thread, so that small requests don't wait behind it."""
LARGE_AT_ONCE = 2

_logger = logging.getLogger("flywheel.collector")


def collector_app(home: Home, log: EventLog, settings: Settings, *, keyless: bool = False) -> ASGIApp:
    """The application. It writes to `log`, which is not closed; `keyless` lets anybody on this machine in."""
    collector = Collector(home, log, settings, keyless=keyless)
    app = Litestar(
        [*collector.routes()],
        lifespan=[collector.lifespan],
        exception_handlers={HTTPException: _not_served, Exception: _bug},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=None,
    )
    return Watched(app, collector.metrics, frozenset(openapi.PATHS), access_log=settings.access_log)


class Collector:
    """What the routes share."""

    def __init__(self, home: Home, log: EventLog, settings: Settings, *, keyless: bool) -> None:
        self.metrics = Metrics()
        self._home = home
        self._log = log
        self._settings = settings
        self._admission = Admission(None if keyless else KeyRing(keys_file(home)), Rates(settings.rate))
        self._held = Held(settings.held_bytes)
        self._ready = Readiness(log)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        self._intake: Intake | None = None

    @asynccontextmanager
    async def lifespan(self, _: Litestar) -> AsyncGenerator[None]:
        """Between the two the log is written to; at the end what was received is written."""
        settings = self._settings
        folder = self._home.path / "collector"
        seen = Seen(folder, self._log.identity(), settings.remembered_events, settings.remembered_seconds)
        committer = Committer(self._log, seen, self.metrics.appended)
        self._intake = Intake(committer, seen, settings)
        self.metrics.waiting_events.set_function(lambda: committer.events)
        self.metrics.waiting_bytes.set_function(lambda: committer.bytes)
        self.metrics.held_bytes.set_function(lambda: self._held.bytes)
        try:
            yield
        finally:
            await committer.close()
            seen.close()

    def routes(self) -> list[Any]:
        """Every route."""
        most = self._settings.batch_events

        @post("/v1/events")
        async def events(request: HttpRequest) -> Response[bytes]:
            headers = request.scope["headers"]
            media_type = _media_type(request)
            return await self._take(
                request, lambda body, sender: cloud_events.read(body, media_type, headers, sender, most)
            )

        @post("/v1/logs")
        async def logs(request: HttpRequest) -> Response[bytes]:
            return await self._take_logs(request)

        @get("/healthz")
        async def healthz() -> dict[str, str]:
            return {"status": "lives"}

        @get("/readyz")
        async def readyz() -> Response[bytes]:
            fault = await self._ready.fault()
            body = {"status": "ready"} if fault is None else {"status": "not ready", "reason": fault}
            return _json(body, 200 if fault is None else 503, 1 if fault else None)

        @get("/metrics")
        async def metrics() -> Response[bytes]:
            return Response(self.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

        flat_routes = [self._flat(name, kind) for name, kind in flat.KINDS.items()]
        return [events, *flat_routes, logs, healthz, readyz, metrics, *openapi.routes()]

    def _flat(self, name: str, kind: flat.Kind) -> Any:
        most = self._settings.batch_events

        @post(f"/v1/{name}", name=name)
        async def take(request: HttpRequest) -> Response[bytes]:
            if (media_type := _media_type(request)) != JSON:
                return self._turned(request, Turned(415, f"Content-Type {media_type[:80]!r} is not taken: send {JSON}"))
            return await self._take(request, lambda body, sender: flat.read(kind, body, sender, most))

        return take

    async def _take(self, request: HttpRequest, read: Read) -> Response[bytes]:
        """The answer to a request whose body `read` understands."""
        request_id = request_id_of(request.scope)
        try:
            answers, refusals = await self._taken(request, read)
        except Turned as turned:
            if turned.status != 400 or turned.head:
                return self._turned(request, turned)
            refusals = [Refusal(0, None, None, "unknown", line(turned.reason))]
            answers = [EventAnswer(0, None, None, "refused", refusals[0].reason)]
            self.metrics.turned()
        duplicates = sum(answer.state == "duplicate" for answer in answers)
        body = Answer(answers, len(answers) - len(refusals) - duplicates, duplicates, len(refusals), request_id)
        return _json(body, status_of(answers, refusals))

    async def _take_logs(self, request: HttpRequest) -> Response[bytes]:
        """As OTLP has it: 200, with what was rejected."""
        try:
            if (media_type := _media_type(request)) != JSON:
                raise Turned(415, f"Content-Type {media_type[:80]!r} is not taken: send {JSON}")
            most = self._settings.batch_events
            _, refusals = await self._taken(request, lambda body, sender: otlp.read(body, sender, most))
        except Turned as turned:
            if turned.status in (400, 413):
                self.metrics.turned()
            status = {"code": 3 if turned.status < 429 else 14, "message": turned.reason}
            return _json(status, turned.status, turned.retry_after)
        if not refusals:
            return _json({}, 200)
        rejected = len({refusal.place for refusal in refusals})
        said = {"rejectedLogRecords": str(rejected), "errorMessage": refusals[0].reason}
        return _json({"partialSuccess": said}, 200)

    async def _taken(self, request: HttpRequest, read: Read) -> tuple[list[EventAnswer], list[Refusal]]:
        """Raises Turned where the request as a whole is not taken."""
        if self._intake is None:
            raise Turned(503, "the collector is starting: send it again", 1)
        headers = dict(request.scope["headers"])
        sender = self._admission.sender(request.scope["headers"])
        body = Body(self._held, self._settings)
        try:
            length, coding = (headers.get(name) for name in (b"content-length", b"content-encoding"))
            content = await body.read(_chunks(request), _text(length), _text(coding))
            self.metrics.body_bytes.labels(_endpoint(request)).inc(len(content))
            if len(content) >= LARGE:
                async with self._large:
                    offered = await asyncio.to_thread(read, content, sender)
            else:
                offered = read(content, sender)
            self._admission.spend(sender, len(offered))
            del content
            answers, refusals = await self._intake.take(offered)
        finally:
            body.release()
        self.metrics.answered([event.type for event in offered], answers)
        return answers, refusals

    def _turned(self, request: HttpRequest, turned: Turned) -> Response[bytes]:
        if turned.status == 413:
            self.metrics.turned()
        fault = Fault(line(turned.reason), request_id_of(request.scope))
        response = _json(fault, turned.status, turned.retry_after)
        if turned.status == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response


async def _chunks(request: HttpRequest) -> AsyncIterator[bytes]:
    """The body as it arrives. Raises Turned where the sender has gone."""
    while True:
        message: Any = await request.receive()
        if message["type"] == "http.disconnect":
            raise Turned(400, "the sender went away before the body had arrived")
        if body := message.get("body"):
            yield body
        if not message.get("more_body"):
            return


def _media_type(request: HttpRequest) -> str:
    given = next((value for name, value in request.scope["headers"] if name == b"content-type"), b"")
    return given.decode("latin-1").partition(";")[0].strip().lower()


def _endpoint(request: HttpRequest) -> str:
    return request.scope["path"].rstrip("/")


def _text(header: bytes | None) -> str | None:
    return None if header is None else header.decode("latin-1")


def _json(content: object, status: int, retry_after: float | None = None) -> Response[bytes]:
    headers = {} if retry_after is None else {"Retry-After": str(max(1, ceil(retry_after)))}
    return Response(msgspec.json.encode(content), status_code=status, media_type=JSON, headers=headers)


def _not_served(request: HttpRequest, error: HTTPException) -> Response[bytes]:
    response = _json(Fault(line(error.detail), request_id_of(request.scope)), error.status_code)
    response.headers.update(error.headers or {})
    return response


def _bug(request: HttpRequest, error: Exception) -> Response[bytes]:
    _logger.error("request %s failed", request_id_of(request.scope), exc_info=error)
    return _json(Fault("the collector failed; what it was sent may be lost", request_id_of(request.scope)), 500)
