"""The one that writes to the log: what many requests wait for goes in together, in the order in which it came.

A thread of its own, since the log blocks. While one append is on its way the next group gathers.
"""

import asyncio
import logging
from collections.abc import Callable
from threading import Condition, Thread
from time import perf_counter

from ingest.collector.seen import Seen
from ingest.log.base import Entry, EventLog
from models.errors import FlywheelError, TerminalError

GROUP_EVENTS, GROUP_BYTES = 5_000, 8 * 1024 * 1024

_logger = logging.getLogger("flywheel.collector")


class Part:
    """What one request gives to the log, and the answer that it waits for: None, or why the log did not take it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.entries: list[Entry] = []
        self.marks: list[tuple[bytes, bytes]] = []
        self.size = 0
        self.done: asyncio.Future[FlywheelError | None] = loop.create_future()

    def add(self, entry: Entry, id_: bytes, content: bytes) -> None:
        """One more event."""
        self.entries.append(entry)
        self.marks.append((id_, content))
        self.size += len(entry.value)


class Committer:
    """Give it parts from the event loop's thread; it answers there."""

    def __init__(self, log: EventLog, seen: Seen, appended: Callable[[int, float], None]) -> None:
        """`appended` is told the events and seconds of each append."""
        self.events = 0
        """Events that wait or are on their way."""
        self.bytes = 0
        self._log = log
        self._seen = seen
        self._appended = appended
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Part] = []
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._run, name="collector-log")
        self._thread.start()

    def give(self, part: Part) -> None:
        """Append `part` after all that was given before."""
        self.events += len(part.entries)
        self.bytes += part.size
        with self._changed:
            self._waiting.append(part)
            self._changed.notify()

    async def close(self) -> None:
        """Write what waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while group := self._group():
            answers = self._append(group)
            try:
                self._loop.call_soon_threadsafe(self._answer, group, answers)
            except RuntimeError:  # the loop was closed under us: nobody is left to be answered
                return

    def _group(self) -> list[Part]:
        """The parts of the next append; none at the end."""
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            events = size = taken = 0
            for part in self._waiting:
                events += len(part.entries)
                size += part.size
                if taken and (events > GROUP_EVENTS or size > GROUP_BYTES):
                    break
                taken += 1
            group, self._waiting = self._waiting[:taken], self._waiting[taken:]
            return group

    def _append(self, group: list[Part]) -> list[FlywheelError | None]:
        entries = [entry for part in group for entry in part.entries]
        began = perf_counter()
        fault = self._try(entries)
        if isinstance(fault, TerminalError) and len(group) > 1:
            # One topic that the log refuses is no reason to refuse the others.
            faults = [self._try(part.entries) for part in group]
        else:
            faults = [fault] * len(group)
        self._appended(len(entries), perf_counter() - began)
        self._seen.mark(mark for part, fault in zip(group, faults, strict=True) if fault is None for mark in part.marks)
        return faults

    def _try(self, entries: list[Entry]) -> FlywheelError | None:
        try:
            self._log.append(entries)
        except FlywheelError as error:
            _logger.error("the log did not take %d events: %s", len(entries), error)
            return error
        except Exception as error:  # a bug below must not leave requests waiting for ever
            _logger.exception("the log failed")
            return FlywheelError(f"the log failed: {type(error).__name__}")
        return None

    def _answer(self, group: list[Part], faults: list[FlywheelError | None]) -> None:
        for part, fault in zip(group, faults, strict=True):
            self.events -= len(part.entries)
            self.bytes -= part.size
            part.done.set_result(fault)
