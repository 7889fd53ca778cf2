"""Around the whole application: what browsers may do with a page of ours. Nothing from elsewhere, no inline script."""

from litestar.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    )
)  # fmt: skip
HEADERS = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
)
CACHE = (b"cache-control", b"no-store")
"""Of what does not say how it may be kept."""


class Guarded:
    """An ASGI application whose every answer has those headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message["headers"])
                kept = [] if any(name.lower() == b"cache-control" for name, _ in given) else [CACHE]
                ours = [(name.encode(), value.encode()) for name, value in HEADERS]
                message["headers"] = [*given, *ours, *kept]
            await send(message)

        await self._app(scope, receive, answer)
