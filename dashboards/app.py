"""The dashboards as an ASGI application: routes, who is let in, and what is answered where there is nothing to show.

Whatever is asked, the answer is a page that says what is the matter and the way out: a 500 is a bug of ours.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from litestar import HttpMethod, Litestar, Request, Response, get, post, route
from litestar.datastructures import Cookie
from litestar.exceptions import HTTPException
from litestar.params import FromPath
from litestar.types import ASGIApp

from dashboards.access import COOKIE, SESSION_S, Door, Refused, Visitor
from dashboards.address import BadAddress, to
from dashboards.answer import Answer, Answers, Look, Missing
from dashboards.assets import Assets
from dashboards.headers import Guarded
from dashboards.page import NotThere, Page
from dashboards.pages import PAGES
from dashboards.pictures import Pictures
from dashboards.pulse import Watch
from dashboards.render import environment
from dashboards.warehouse import SECONDS, Warehouse
from ingest.home import Home
from ingest.log import EventLog
from ingest.reader import TooSlow
from models.errors import FlywheelError, TransientError

HttpRequest = Request[Any, Any, Any]
HTML = "text/html"
THEME_COOKIE = "flywheel_theme"
LONGEST_FORM = 8_192

_logger = logging.getLogger("flywheel.dashboards")


def dashboards_app(
    path: Path, log: EventLog | None, door: Door, *, pages: tuple[Page, ...] = PAGES, seconds: float = SECONDS
) -> ASGIApp:
    """The application on the home at `path`, which need not be there yet.

    `log` is only looked at, and not closed; without one, pages don't say how far it is. A question to the warehouse is
    given up after `seconds`.
    """
    site = Site(path, log, door, pages, seconds)
    app = Litestar(
        [*site.routes()],
        lifespan=[site.lifespan],
        exception_handlers={HTTPException: site.not_served, Exception: site.bug},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=LONGEST_FORM,
    )
    return Guarded(app)


class Site:
    """What the routes share."""

    def __init__(self, path: Path, log: EventLog | None, door: Door, pages: tuple[Page, ...], seconds: float) -> None:
        self._door = door
        self._pages = pages
        self._warehouse = Warehouse(path, seconds)
        self._assets = Assets()
        self._pictures = Pictures()
        self._watch = Watch(Home(path), log) if log else None
        pulse = self._watch.pulse if self._watch else _unknown
        self._answers = Answers(
            pages, self._warehouse, environment(), assets=self._assets, pictures=self._pictures, pulse=pulse
        )

    @asynccontextmanager
    async def lifespan(self, _: Litestar) -> AsyncGenerator[None]:
        """Between the two the log is looked at."""
        self._assets.start()
        self._pictures.start()
        self._warehouse.start()
        if self._watch:
            self._watch.start()
        try:
            yield
        finally:
            if self._watch:
                self._watch.stop()
            self._pictures.stop()
            self._warehouse.close()

    def routes(self) -> list[Any]:
        """Every route."""

        @get("/static/{name:str}", sync_to_thread=True)
        def static(name: FromPath[str]) -> Response[bytes]:
            asset = self._assets.find(name)
            if asset is None:
                raise HTTPException(status_code=404)
            headers = {"Content-Encoding": "gzip", "Cache-Control": "public, max-age=31536000, immutable"}
            return Response(asset.content, media_type=asset.media_type, headers=headers)

        @get("/healthz", sync_to_thread=False)
        def healthz() -> dict[str, str]:
            return {"status": "lives"}

        @get("/theme", sync_to_thread=False)
        def theme(request: HttpRequest) -> Response[bytes]:
            wanted = request.query_params.get("to", "")
            response = _see(_local(request.query_params.get("back", "")))
            if wanted in ("light", "dark"):
                response.cookies.append(Cookie(THEME_COOKIE, value=wanted, max_age=31_536_000, samesite="lax"))
            elif wanted == "auto":
                response.delete_cookie(THEME_COOKIE)
            return response

        @get("/sign-in", sync_to_thread=False)
        def sign_in(request: HttpRequest) -> Response[bytes]:
            return self._sign_in(request, _local(request.query_params.get("back", "")))

        @post("/sign-in")
        async def signed_in(request: HttpRequest) -> Response[bytes]:
            return self._signed_in(request, dict(parse_qsl((await request.body()).decode("utf-8", "replace"))))

        @post("/sign-out", sync_to_thread=False)
        def sign_out(request: HttpRequest) -> Response[bytes]:
            response = _see("/sign-in")
            if _is_own(request):
                response.delete_cookie(COOKIE)
            return response

        return [*map(self._page, self._pages), static, healthz, theme, sign_in, signed_in, sign_out]

    def _page(self, page: Page) -> Any:
        @route(page.path, http_method=[HttpMethod.GET, HttpMethod.HEAD], name=page.name, sync_to_thread=True)
        def show(request: HttpRequest) -> Response[bytes]:
            return self._show(page, request)

        return show

    def _show(self, page: Page, request: HttpRequest) -> Response[bytes]:
        look = _look(request)
        try:
            visitor = self._visitor(request)
        except Refused as refused:
            return self._refused(request, refused)
        try:
            parameters = {str(name): str(value) for name, value in request.query_params.items()}
            return _sent(request, self._answers.answer(page, parameters, visitor, look))
        except FlywheelError as error:
            status, title, ways = _said(error, page)
            if status >= 500:
                _logger.warning("%s: %s", page.path, error)
            return self._state(request, status, title, str(error), ways=ways, visitor=visitor)

    def not_served(self, request: HttpRequest, error: HTTPException) -> Response[bytes]:
        """An address or method that no page has."""
        title = {404: "There is no such page", 405: "That can't be done here"}.get(error.status_code, "Not understood")
        try:
            visitor = self._visitor(request)
        except Refused as refused:
            return self._refused(request, refused)
        return self._state(
            request, error.status_code, title, "The address leads nowhere.", ways=[("Overview", "/")], visitor=visitor
        )

    def bug(self, request: HttpRequest, error: Exception) -> Response[bytes]:
        """What should not have happened."""
        _logger.error("%s failed", request.url.path, exc_info=error)
        lead = f"The page could not be made ({type(error).__name__}): a fault of ours; the server's log tells more."
        return self._state(request, 500, "This page failed", lead, ways=[("Overview", "/")])

    def _visitor(self, request: HttpRequest) -> Visitor:
        headers = {name.lower(): value for name, value in request.headers.items()}
        return self._door.visitor(headers, request.cookies, request.client.host if request.client else "")

    def _refused(self, request: HttpRequest, refused: Refused) -> Response[bytes]:
        if refused.status == 401 and self._door.takes_keys and "authorization" not in request.headers:
            from_form = _see(to("/sign-in", back=_here(request)))
            if "text/html" in request.headers.get("accept", ""):
                return from_form
        response = self._state(request, refused.status, "You are not let in", refused.reason)
        if refused.status == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _sign_in(self, request: HttpRequest, back: str, fault: str = "") -> Response[bytes]:
        if not self._door.takes_keys:
            return _see(back)
        answer = self._answers.other(
            "sign_in.html", None, _look(request), title="Sign in", lead="These pages are for those who have a key.",
            fault=fault, back=back,
        )  # fmt: skip
        return Response(answer.content, status_code=401 if fault else 200, media_type=HTML)

    def _signed_in(self, request: HttpRequest, form: dict[str, str]) -> Response[bytes]:
        back = _local(form.get("back", ""))
        if not _is_own(request):
            return self._sign_in(request, back, "The form came from another site: sign in here.")
        try:
            session = self._door.session(form.get("key", "").strip())
        except Refused as refused:
            return self._refused(request, refused)
        if session is None:
            return self._sign_in(request, back, "This key opens nothing here: it is unknown, revoked, or for sending.")
        response = _see(back)
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        response.cookies.append(
            Cookie(COOKIE, value=session, max_age=SESSION_S, httponly=True, samesite="lax", secure=secure)
        )
        return response

    def _state(
        self,
        request: HttpRequest,
        status: int,
        title: str,
        lead: str,
        *,
        ways: list[tuple[str, str]] | None = None,
        visitor: Visitor | None = None,
    ) -> Response[bytes]:
        answer = self._answers.state(title, lead, ways or [], visitor if status in (503, 504) else None, _look(request))
        response = Response(answer.content, status_code=status, media_type=HTML)
        if status == 503:
            response.headers["Retry-After"] = "5"
        return response


def _unknown() -> None:
    return None


def _said(error: FlywheelError, page: Page) -> tuple[int, str, list[tuple[str, str]]]:
    """Status, title and ways out of what went wrong."""
    again = ("Try again", page.path)
    match error:
        case BadAddress():
            return 400, "The address is not understood", [(f"{page.title}, without it", page.path)]
        case NotThere():
            return 404, "There is no such thing", [("Overview", "/")]
        case Missing():
            return 503, "The build does not have this yet", [("flywheel build", ""), again]
        case TooSlow():
            return 504, "That takes too long", [(f"{page.title}, without filters", page.path)]
        case TransientError():
            return 503, "The warehouse is being changed", [again]
        case _:
            return 503, "There is nothing to show yet", [("flywheel doctor", ""), again]


def _sent(request: HttpRequest, answer: Answer) -> Response[bytes]:
    """The answer, or that it is what the browser has already."""
    tag = f'"{sha256(answer.content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if answer.file_name:
        headers["Content-Disposition"] = f'attachment; filename="{answer.file_name}"'
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers=headers, media_type=answer.media_type)
    return Response(answer.content, headers=headers, media_type=answer.media_type)


def _look(request: HttpRequest) -> Look:
    theme = request.cookies.get(THEME_COOKIE)
    return Look(theme if theme in ("light", "dark") else None, _here(request))


def _here(request: HttpRequest) -> str:
    """Path and query of what was asked for."""
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


def _local(back: str) -> str:
    """An address of this site to go back to; the overview in place of any other."""
    parts = urlsplit(back)
    is_ours = back.startswith("/") and not back.startswith(("//", "/\\")) and not parts.netloc and back.isprintable()
    return back if is_ours else "/"


def _see(address: str) -> Response[bytes]:
    return Response(b"", status_code=303, headers={"Location": address}, media_type=HTML)


def _is_own(request: HttpRequest) -> bool:
    """Whether a form was sent from one of our own pages. Browsers say where each comes from."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
