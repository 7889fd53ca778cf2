"""How the log is doing, looked at in the background: what waits for the sink and for a build, the sinks, the jobs.

Pages show the last look and never wait for one. Nobody looks while no page is open.
"""

import logging
from datetime import UTC, datetime
from threading import Event, Thread
from time import monotonic
from typing import NamedTuple

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.fold import JobState
from ingest.lake.segments import next_position
from ingest.log import EventLog
from ingest.sink.lag import Behind, behind
from ingest.sink.presence import Running, running
from models.errors import FlywheelError

EVERY_S = 3.0
ASLEEP_AFTER_S = 60.0
"""Seconds after the last page that asked."""

_logger = logging.getLogger("flywheel.dashboards")


class Pulse(NamedTuple):
    """One look."""

    at: datetime
    fault: str
    """Why the log could not be looked at; "" where it could. Then nothing below is known."""
    behind: dict[tuple[str, int], Behind]
    """(topic, partition) -> what the lake does not hold yet."""
    landed: dict[tuple[str, int], int]
    """(topic, partition) -> next position of the lake."""
    sinks: list[Running]
    jobs: dict[str, JobState]
    """By id, as the log has them now."""

    @property
    def waits_s(self) -> float:
        """Seconds that the oldest record has waited for the sink; 0 where none waits."""
        waiting = [found.since for found in self.behind.values() if found.since]
        return max(0.0, (self.at - min(waiting)).total_seconds()) if waiting else 0.0


class Watch:
    """Looks at `log` as long as pages ask. It is started by the first."""

    def __init__(self, home: Home, log: EventLog, every_s: float = EVERY_S) -> None:
        self._home = home
        self._log = log
        self._every_s = every_s
        self._board = Board(log)
        self._last: Pulse | None = None
        self._asked_at = 0.0
        self._wanted, self._ended, self._looked = Event(), Event(), Event()
        self._thread = Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Begin, with a first look."""
        self._asked_at = monotonic()
        self._wanted.set()
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the look that is being taken."""
        self._ended.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    def pulse(self, wait_s: float = 0.5) -> Pulse | None:
        """The last look. Only the first is waited for, and not for long."""
        self._asked_at = monotonic()
        self._wanted.set()
        self._looked.wait(wait_s)
        return self._last

    def _run(self) -> None:
        while not self._ended.is_set():
            self._wanted.wait()
            if self._ended.is_set():
                return
            self._last = self._look()
            self._looked.set()
            if monotonic() - self._asked_at > ASLEEP_AFTER_S:
                self._wanted.clear()
            self._ended.wait(self._every_s)

    def _look(self) -> Pulse:
        now = datetime.now(UTC)
        try:
            self._board.refresh()
            found = behind(self._log, self._home)
            return Pulse(
                now,
                "",
                found,
                {at: next_position(self._home, *at) for at in found},
                running(self._home),
                self._board.jobs,
            )
        except (FlywheelError, OSError) as error:
            _logger.warning("the log can't be looked at: %s", error)
            return Pulse(now, str(error), {}, {}, [], {})
