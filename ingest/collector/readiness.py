"""Whether the log answers, asked at most once a second and by one thread at a time, however many ask us."""

import asyncio
from time import monotonic

from ingest.log import EventLog
from models.errors import FlywheelError

ASK_SECONDS = 1.0
WAIT_SECONDS = 5.0
ASKED = "feedback"
"""A topic to ask for: its end, which costs the log next to nothing."""


class Readiness:
    """Asks `log`."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._asking: asyncio.Task[str | None] | None = None
        self._asked_at = float("-inf")

    async def fault(self) -> str | None:
        """None where the log answers; else why it does not, in words that may leave this machine."""
        if self._asking is None or (self._asking.done() and monotonic() - self._asked_at > ASK_SECONDS):
            self._asking = asyncio.create_task(self._ask())
        try:
            return await asyncio.wait_for(asyncio.shield(self._asking), WAIT_SECONDS)
        except TimeoutError:
            return f"the log has not answered in {WAIT_SECONDS:.0f} s"

    async def _ask(self) -> str | None:
        try:
            await asyncio.to_thread(self._log.end_offsets, ASKED)
        except FlywheelError as error:
            return f"the log does not answer ({type(error).__name__})"
        finally:
            self._asked_at = monotonic()
        return None
