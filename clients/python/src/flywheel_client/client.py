"""The two clients. Both record without waiting and send in one way; what differs is how their end is awaited."""

import asyncio
import hashlib
import os
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from flywheel_client.recording import Recording
from flywheel_client.sender import OnRefused, Sender
from flywheel_client.settings import Settings
from flywheel_client.stats import Stats


class _Client(Recording):
    """What both clients are made of."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        source: str | None = None,
        spool: str | os.PathLike[str] | bool = True,
        on_refused: OnRefused | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Start recording for the collector at `url` (default: FLYWHEEL_URL) with `key` (default: FLYWHEEL_KEY).

        `source`: who writes, where one key serves several products; default: the key's own. `spool`: the folder in
        which events wait, True for one below the user's state folder, False for none. `on_refused` is called, by the
        sending thread, with each event that the collector will never take, and why. Raises ValueError for a URL or a
        key that can't be one.
        """
        super().__init__(source)
        where = (url or os.environ.get("FLYWHEEL_URL") or "").rstrip("/")
        who = key or os.environ.get("FLYWHEEL_KEY")
        if urlsplit(where).scheme not in ("http", "https") or not urlsplit(where).hostname:
            raise ValueError(f"{where!r} is no address of a collector: give url (or FLYWHEEL_URL) as http://host:port")
        if who is not None and not (who.isascii() and who.isprintable()):
            raise ValueError("the key holds characters that no HTTP header can: copy it again")
        place = None
        if spool is not False:
            folder = _state_folder() if spool is True else Path(spool)
            # Events wait for the collector, and as the writer, that they were recorded for.
            place = folder / hashlib.sha256(f"{where}\n{source or who}".encode()).hexdigest()[:16]
        self._sender = Sender(where, who, settings or Settings(), place, on_refused)

    @property
    def stats(self) -> Stats:
        """What became of the events so far. Each is counted in exactly one place."""
        return self._sender.stats()

    def _put(self, line: bytes) -> None:
        self._sender.put(line)


class Flywheel(_Client):
    """Records events, and sends them from a thread. Close it, or leave it to the end of the program."""

    def flush(self, timeout: float | None = None) -> bool:
        """Send all that was recorded, and wait: True once the collector has settled it, False after `timeout`."""
        return self._sender.flush(timeout)

    def close(self, timeout: float = 10.0) -> bool:
        """Flush, and end. What is not sent within `timeout` seconds stays in the spool for the next start."""
        return self._sender.close(timeout)

    def __enter__(self) -> "Flywheel":
        """The client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


class AsyncFlywheel(_Client):
    """The same for asyncio. Recording needs no await (it may have one); `flush` and `close` do.

    The thread is shared with nothing of the event loop, so that a loop that is busy, or that ends, holds up no event.
    """

    async def flush(self, timeout: float | None = None) -> bool:
        """As `Flywheel.flush`."""
        return await asyncio.to_thread(self._sender.flush, timeout)

    async def close(self, timeout: float = 10.0) -> bool:
        """As `Flywheel.close`."""
        return await asyncio.to_thread(self._sender.close, timeout)

    async def __aenter__(self) -> "AsyncFlywheel":
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()


def _state_folder() -> Path:
    """Where programs of this user keep what must outlive them."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111 (never raises)
    return Path(base) / "flywheel-client"
