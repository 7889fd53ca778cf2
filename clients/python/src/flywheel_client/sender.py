"""The thread that sends: it takes batches from the queues, posts them, and keeps what the collector has not settled.

One sender a client. It starts with the first event, or at once if an earlier process has left some. A forked child has
none of its parent's events, and starts a thread of its own.
"""

import json
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from encodings import idna
from pathlib import Path
from time import monotonic
from typing import Any

import httpcore
import httpx

from flywheel_client import lifecycle
from flywheel_client.answer import Later, Meaning, Settled, Split, State, meaning
from flywheel_client.memory import Memory
from flywheel_client.retries import asked_for, pause
from flywheel_client.settings import LARGEST_EVENT, Settings
from flywheel_client.spool import Spool, sync
from flywheel_client.stats import Stats

LOADED = (httpcore, idna)
"""What httpx and sockets would import at their first use, in the thread: a fork in the middle of that would leave the
child half a module."""

log = logging.getLogger("flywheel_client")

OnRefused = Callable[[dict[str, Any], str], None]

CONTENT_TYPE = "application/cloudevents-batch+json"
IDLE = 3600.0
OURS_AT_LEAST = 5.0
"""Seconds between tries with a key or an address that the server doesn't know."""


class Sender:
    """Safe to share between threads."""

    def __init__(self, url: str, key: str | None, settings: Settings, place: Path | None, on_refused: OnRefused | None):
        self._url = url
        self._key = key
        self._settings = settings
        self._place = place
        self._on_refused = on_refused
        self._tls = httpx.create_ssl_context()
        """Made here and not by the thread: a fork in the middle of it leaves the child a lock of OpenSSL that nobody
        frees (3 of 120 children hung)."""
        self._closed = self._ended = False
        self._begin()
        lifecycle.register(self)
        if place is not None and place.is_dir():
            with self._wake:
                self._start()

    def _begin(self) -> None:
        """The state of a process that has recorded nothing."""
        self._wake = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._flushing = 0
        self._memory = Memory(self._settings.memory_events)
        self._spool = Spool(self._place, self._settings.spool_bytes) if self._place is not None else None
        self._spool_works = True
        self._counts: Counter[str] = Counter()
        self._pieces: deque[list[bytes]] = deque()
        """What is not settled of the batch that was taken."""
        self._source: Memory | Spool = self._memory
        """Where that batch was taken from."""
        self._settled_of_batch = 0
        self._batch_bytes = self._settings.batch_bytes
        self._oldest = 0.0
        """When the oldest event that waits was recorded, by the monotonic clock."""
        self._failures = 0
        self._not_before = 0.0
        self._was_asked = False
        self._adopt_at = 0.0

    def put(self, line: bytes) -> None:
        """Take in an event, as one line of JSON. It is on disk when this returns, if there is a spool."""
        if len(line) > LARGEST_EVENT:
            with self._wake:
                self._counts.update(queued=1, refused=1)
            self._say_refused(line, f"it has {len(line):,} bytes, and a collector takes {LARGEST_EVENT:,}")
            return
        with self._wake:
            if self._closed:
                raise RuntimeError("this client is closed: nothing can be recorded with it")
            if self._waiting() == 0:
                self._oldest = monotonic()
            self._counts["queued"] += 1
            dropped = self._store(line)
            self._counts["dropped"] += dropped
            waiting = self._waiting()
            if waiting == 1 or waiting >= self._settings.batch_events:
                self._wake.notify_all()
            self._start()
        if dropped:
            self._warn_of_dropped(dropped)

    def flush(self, timeout: float | None) -> bool:
        """Send what is waiting, now. True once all that was recorded before is settled, False after `timeout`."""
        if threading.current_thread() is self._thread:
            return False  # `on_refused` flushes: the thread that sends can't wait for itself
        with self._wake:
            if self._ended:
                return self._waiting() == 0
            memory, spool = self._memory.entered, self._spool.entered if self._spool else 0

            def settled() -> bool:
                return self._memory.left >= memory and (self._spool is None or self._spool.left >= spool)

            if not self._was_asked:
                self._not_before = 0.0
            self._flushing += 1
            self._start()
            self._wake.notify_all()
            try:
                return self._wake.wait_for(settled, timeout)
            finally:
                self._flushing -= 1

    def close(self, timeout: float) -> bool:
        """Flush, and end the thread. What could not be sent stays in the spool; without one it is dropped, and said."""
        with self._wake:
            if self._closed:
                return self._waiting() == 0
            self._closed = True
        until = monotonic() + timeout
        sent = self.flush(timeout) if self._waiting() else True
        with self._wake:
            self._stopping = True
            thread = self._thread
            self._wake.notify_all()
        if thread is not None:
            thread.join(max(0.1, until - monotonic()))
        with self._wake:
            self._ended = True
            lost = self._save()
            self._counts["dropped"] += lost
            if self._spool is not None:
                self._spool.close()
        lifecycle.forget(self)
        if lost:
            self._warn_of_dropped(lost)
        return sent

    def stats(self) -> Stats:
        """What became of the events so far."""
        with self._wake:
            counts = {name: self._counts[name] for name in Stats._fields if name not in ("waiting", "spooled")}
            spooled = self._spool.waiting if self._spool else 0
            if self._source is self._spool:
                spooled -= self._settled_of_batch
            return Stats(**counts, waiting=self._waiting(), spooled=spooled)

    def at_exit(self) -> None:
        """The program ends."""
        self.close(self._settings.exit_timeout)

    def before_fork(self) -> None:
        """Stand still while the process is copied."""
        self._wake.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._wake.release()

    def after_fork_in_child(self) -> None:
        """Begin anew: the events that wait are the parent's, and so is the thread."""
        if self._spool is not None:
            self._spool.abandon()
        self._begin()

    def _waiting(self) -> int:
        return self._memory.waiting + (self._spool.waiting if self._spool else 0) - self._settled_of_batch

    def _store(self, line: bytes) -> int:
        """Into the spool, or into memory where that fails. How many events were dropped for it."""
        if self._spool is not None:
            try:
                dropped = self._spool.append(line)
            except OSError as error:
                if self._spool_works:
                    log.warning("the spool can't be written, events wait in memory: %s", error)
                self._spool_works = False
            else:
                self._spool_works = True
                return dropped
        return self._memory.append(line)

    def _start(self) -> None:
        """Start the thread, if it is not there. When an interpreter ends none can start: the spool has the events."""
        if not self._stopping and (self._thread is None or not self._thread.is_alive()):
            thread = threading.Thread(target=self._run, name="flywheel-client", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                log.warning("no thread can be started (%s): events wait for the next start", error)
            else:
                self._thread = thread

    def _run(self) -> None:
        with httpx.Client(timeout=self._settings.timeout, verify=self._tls) as http:
            while True:
                try:
                    self._adopt()
                    if not self._wait():
                        return
                    self._apply(*self._post(http))
                except Exception:  # a bug here, or in a disk, must not end the sending without a word
                    log.exception("sending failed; trying again")
                    with self._wake:
                        self._fail(None, least=1.0)

    def _adopt(self) -> None:
        """Take over what dead processes left, every so often."""
        with self._wake:
            if self._spool is None or monotonic() < self._adopt_at or self._stopping:
                return
            self._adopt_at = monotonic() + self._settings.adopt_every
            found = self._spool.adopt()
            self._counts["adopted"] += found
        if found:
            log.info("%d events of an earlier process were found in the spool", found)

    def _wait(self) -> bool:
        """Return True when there is something to send, or to adopt; False when it is time to end."""
        with self._wake:
            while not self._stopping:
                now = monotonic()
                due = self._due()
                if due <= now:
                    return True
                at = min(due, self._adopt_at if self._spool else due)
                if at <= now:
                    return True
                self._wake.wait(min(at - now, IDLE))
            return False

    def _due(self) -> float:
        """When to send next, by the monotonic clock."""
        waiting = self._waiting()
        if waiting == 0:
            return float("inf")
        if self._failures or self._pieces or self._flushing or waiting >= self._settings.batch_events:
            return self._not_before
        return max(self._not_before, self._oldest + self._settings.linger)

    def _next(self) -> list[bytes]:
        """The events to send now: the rest of the batch before, or a new batch. [] where there is none yet."""
        if not self._pieces and self._due() <= monotonic():
            self._source = self._memory if self._memory.waiting or self._spool is None else self._spool
            try:
                batch = self._source.take(self._settings.batch_events, self._batch_bytes)
            except OSError as error:
                assert isinstance(self._source, Spool)
                lost = self._source.lose()
                self._counts["dropped"] += lost
                log.error("a part of the spool can't be read, %d events are lost: %s", lost, error)
                self._wake.notify_all()
                return []
            self._oldest = monotonic()  # of those that come later; a rest that is due goes at once or soon
            if batch:
                self._pieces.append(batch)
        return self._pieces[0] if self._pieces and self._due() <= monotonic() else []

    def _post(self, http: httpx.Client) -> tuple[list[bytes], Meaning]:
        """Send one piece, outside of the lock, and say what the answer means."""
        with self._wake:
            piece = self._next()
        if not piece:
            return [], Settled({})
        headers = {"content-type": CONTENT_TYPE}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        try:
            answer = http.post(f"{self._url}/v1/events", content=b"[" + b",".join(piece) + b"]", headers=headers)
        except (httpx.HTTPError, OSError) as error:
            return piece, Later(f"{type(error).__name__}: {error}")
        return piece, meaning(answer.status_code, answer.headers.get("retry-after"), answer.content, len(piece))

    def _apply(self, piece: list[bytes], said: Meaning) -> None:
        """Count what is settled, and keep the rest."""
        if not piece:
            return
        if isinstance(said, Split) and len(piece) == 1:
            said = Settled({0: ("refused", said.reason)})
        if isinstance(said, Settled):  # before it is settled: who flushes then knows what was refused
            for index, (state, reason) in said.states.items():
                if state == "refused":
                    self._say_refused(piece[index], reason)
        with self._wake:
            if self._ended:
                return  # the spool may have another owner by now, who sends it again
            match said:
                case Settled(states):
                    self._settle(piece, states)
                case Split(reason):
                    self._split(piece, reason)
                case Later():
                    self._later(said)
            unsynced = self._spool.unsynced() if self._spool is not None and self._failures else []
        sync(unsynced)

    def _split(self, piece: list[bytes], reason: str) -> None:
        half = len(piece) // 2
        self._pieces[0] = piece[half:]
        self._pieces.appendleft(piece[:half])
        self._batch_bytes = max(sum(map(len, piece)) // 2, 1)
        log.info("a batch of %d events is sent in halves: %s", len(piece), reason)

    def _settle(self, piece: list[bytes], states: dict[int, tuple[State, str]]) -> None:
        self._counts.update(state for state, _ in states.values())
        self._settled_of_batch += len(states)
        self._pieces.popleft()
        if rest := [line for index, line in enumerate(piece) if index not in states]:
            self._pieces.appendleft(rest)
            self._later(Later(f"the answer does not name {len(rest)} of {len(piece)} events"))
            return
        if self._failures:
            log.info("the collector at %s takes events again", self._url)
        self._failures, self._not_before, self._was_asked = 0, 0.0, False
        if not self._pieces:
            self._settled_of_batch = 0
            self._source.done()
            self._wake.notify_all()

    def _later(self, said: Later) -> None:
        if self._failures == 0 or (said.ours and self._failures % 10 == 0):
            say = log.error if said.ours else log.warning
            where = "in the spool" if self._spool is not None and self._spool_works else "in memory"
            say("the collector at %s takes no events (%s): they wait %s", self._url, said.reason, where)
        self._fail(said.asked, least=OURS_AT_LEAST if said.ours else 0.0)

    def _fail(self, asked: str | None, least: float) -> None:
        self._failures += 1
        seconds = asked_for(asked)
        self._was_asked = seconds is not None
        drawn = pause(self._failures, self._settings.first_retry, self._settings.longest_retry, seconds)
        self._not_before = monotonic() + max(drawn, least)

    def _say_refused(self, line: bytes, reason: str) -> None:
        """An event will never be taken: tell the log, without its text, and the program, with it."""
        event: dict[str, Any] = json.loads(line)
        log.warning("the collector refused %s %s: %s", event.get("type"), event.get("id"), reason)
        if self._on_refused is not None:
            try:
                self._on_refused(event, reason)
            except Exception:  # theirs; sending goes on
                log.exception("on_refused failed on %s", event.get("id"))

    def _save(self) -> int:
        """At the end: what waits in memory goes to the spool. How many events found no place there."""
        rest = self._memory.empty()
        if self._source is self._memory:
            rest = [line for piece in self._pieces for line in piece] + rest
            self._memory.done()
            self._settled_of_batch = 0
        lost = 0
        for line in rest:
            try:
                lost += self._spool.append(line) if self._spool is not None else 1
            except OSError:
                lost += 1
        return lost

    def _warn_of_dropped(self, dropped: int) -> None:
        total = self._counts["dropped"]
        if total == dropped or total // 1_000 > (total - dropped) // 1_000:
            log.warning("%d events are dropped so far: the collector at %s is away, and spool and memory are full "
                        "(spool_bytes, memory_events)", total, self._url)  # fmt: skip
