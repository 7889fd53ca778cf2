"""The sink: reads the log from where the lake ends, and lands what it read as the next segment of each partition.

The position is in the segment itself, so rows and position can't part: kill -9 at any point repeats and loses nothing.
Any number of sinks may run on one home. They race for the name of a partition's next segment; who loses drops what it
holds and goes on behind the winner. A `Share` spares them the race. What erased persons wrote lands without its
content. Left out: merging segments, and erasing what has landed.
"""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import Event
from typing import NamedTuple

import polars as pl

from ingest.durable import sweep
from ingest.erasure.landing import Landing
from ingest.home import Home
from ingest.lake.segments import Footer, ensure_empty, last_footer, read, segment_path, write
from ingest.log.base import EventLog
from ingest.log.lanes import Lanes
from ingest.log.pinned import pinned
from ingest.sink import dead_letters
from ingest.sink.land import landed
from ingest.sink.presence import Presence
from ingest.sink.sharing import Everything, Share
from ingest.sink.tail import FlushPolicy, Tail
from ingest.sink.watchdog import PATIENCE_S, PATIENCES, Watchdog
from ingest.uncollected import uncollected
from models.errors import FlywheelError, TerminalError, TransientError
from models.topics import TOPICS, is_backfill

logger = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.25  # seconds between two looks at a log that has nothing new
BACKFILL_ROWS = 5_000  # read of a lane for backfills between two looks at what is fresh
BACKFILL_REST = 3.0  # rest after it, in times of what it took, while fresh events come: builds need the machine as well
RETRY = 2.0  # seconds before it starts over after a transient fault


class Landed(NamedTuple):
    """What a sink put into the lake. What it lost to a rival is the rival's."""

    rows: int = 0
    errors: int = 0
    """How many of the rows are no events."""
    segments: int = 0

    def since(self, before: "Landed") -> "Landed":
        """What came to it after `before`."""
        return Landed(self.rows - before.rows, self.errors - before.errors, self.segments - before.segments)


class Sink:
    """Lands the topics of the contract from `log` in the lake of `home`."""

    def __init__(
        self, log: EventLog, home: Home, policy: FlushPolicy | None = None, *, share: Share | None = None
    ) -> None:
        self._log = log
        self._lanes = Lanes(log)
        self._home = home
        self._policy = policy or FlushPolicy()
        self._share = share or Everything()
        self._identity = ""
        """Of the log, once this home is known to be of it."""
        self._tails: dict[tuple[str, int], Tail] = {}
        self._landing = Landing(log)
        self._rested = 0.0
        """By the monotonic clock, from when on lanes for backfills are looked at again."""
        self._watchdog = Watchdog(max(PATIENCE_S, 10 * self._policy.seconds))
        self.landed = Landed()
        """Since this sink was made."""

    def drain(self) -> Landed:
        """Land what the log holds now, and return what this call landed.

        A fault of one partition does not keep the others from landing; it is raised when they have. Raises
        TransientError where the log or the disk fails (call again: nothing is lost), and TerminalError where positions
        don't belong to this log or were lost.
        """
        before = self.landed

        def land(tail: Tail, end: int) -> None:
            while tail.position < end or tail.rows:
                if tail.position < end and not tail.is_full(self._policy):
                    from_ = tail.position
                    self._take(tail)
                    if tail.position == from_:
                        at = f"{tail.topic}/{tail.partition}"
                        raise TransientError(f"the log gives nothing of {at} from {from_} on, and ends at {end}")
                else:
                    self._flush(tail)

        self._each(land)
        return self.landed.since(before)

    def run(self, stop: Event) -> Landed:
        """Land what comes until `stop` is set, then what is held; return what this call landed.

        Transient faults are logged, and it starts over from where the lake ends. Raises TerminalError like `drain`,
        and where a partition stands still for minutes while its log grows: a new process may do better.
        """
        before = self.landed
        pause = FIRST_PAUSE
        with Presence(self._home, shares=self._share.shares) as presence:
            while not stop.is_set():
                try:
                    self._share.look(presence.name)
                    busy = self.step()
                except TransientError as error:
                    logger.warning("%s. The sink starts over from where the lake ends in %.0f s.", error, RETRY)
                    presence.beat(str(error))
                    stop.wait(RETRY)
                    continue
                except TerminalError:
                    with suppress(FlywheelError):
                        self.drain()  # the other partitions have no part in it
                    raise
                presence.beat("; ".join(self._watchdog.standing()))
                pause = FIRST_PAUSE if busy else min(2 * pause, LONGEST_PAUSE)
                if not busy:
                    stop.wait(pause)
            for tail in [tail for tail in self._tails.values() if tail.rows]:
                self._flush(tail)
        return self.landed.since(before)

    def step(self) -> bool:
        """One look at every partition: read what is new, land what is due. Whether there was anything to read.

        Raises like `drain`.
        """
        busy = is_fresh = False
        rests = time.monotonic() < self._rested
        spent = 0.0

        def look(tail: Tail, end: int) -> None:  # fresh ones first: see _ends
            nonlocal busy, is_fresh, spent
            backfills = is_backfill(tail.partition)
            if backfills and rests:
                return
            looked = time.monotonic()
            if tail.position < end:
                self._take(tail)
                busy = True
                is_fresh |= not backfills
            if tail.is_due(self._policy):
                self._flush(tail)
            if backfills:
                spent += time.monotonic() - looked

        self._each(look)
        if is_fresh and not rests:
            self._rested = time.monotonic() + BACKFILL_REST * spent
        return busy

    def _each(self, work: Callable[[Tail, int], None]) -> None:
        """Do `work` for every partition that is ours. A partition that fails starts over from where the lake ends, and
        its fault is raised once the others are done: of several the one that no second try will mend."""
        faults: list[FlywheelError] = []
        with self._begun():
            for tail, end in self._ends():
                try:
                    self._watch(tail, end)
                    work(tail, end)
                except FlywheelError as error:
                    del self._tails[tail.topic, tail.partition]
                    faults.append(error)
        if faults:
            raise next((fault for fault in faults if not isinstance(fault, TransientError)), faults[0])

    def _watch(self, tail: Tail, end: int) -> None:
        """Begin anew with a partition that stands still while its log grows; give up where that has not helped."""
        stuck, patiences = self._watchdog.look(tail.topic, tail.partition, tail.start, end, time.monotonic())
        if patiences >= PATIENCES:
            raise TerminalError(f"{stuck}: beginning anew has not helped, so the sink ends. Start it again")
        if stuck:
            raise TransientError(stuck)

    @contextmanager
    def _begun(self) -> Generator[None]:
        """Work that goes on from what is held; after a fault the next starts over from where the lake ends."""
        if not self._identity:
            self._begin()
        try:
            yield
        except BaseException:
            self._identity = ""
            self._tails.clear()
            raise

    def _begin(self) -> None:
        """See that the home is of this log, and that every topic has a file to read."""
        identity = pinned(self._log, self._home)
        for topic in TOPICS:
            sweep(ensure_empty(self._home, topic).parent)
        self._identity = identity

    def _ends(self) -> list[tuple[Tail, int]]:
        """Every partition that the log has, with where the log ends.

        The end is asked for after the position is known, since a rival may move the lake's end at any time. Lanes for
        backfills come last.
        """
        found: list[tuple[Tail, int]] = []
        for topic, partition in [at for at in self._tails if not self._share.is_mine(*at)]:
            del self._tails[topic, partition]  # what it holds, the new owner reads again
            self._watchdog.forget(topic, partition)
        for topic in TOPICS:
            ends = self._our(topic)
            if new := [partition for partition in ends if (topic, partition) not in self._tails]:
                begins = self._lanes.begin_offsets(topic)
                for partition in new:
                    self._tails[topic, partition] = self._open(topic, partition, begins[partition])
                ends = self._our(topic)
            for tail in self._tails.values():
                if tail.topic == topic:
                    found.append((tail, self._checked(tail, ends.get(tail.partition))))
        return sorted(found, key=lambda at: is_backfill(at[0].partition))

    def _our(self, topic: str) -> dict[int, int]:
        """Partition -> end, of those that are ours."""
        ends = self._lanes.end_offsets(topic)
        return {partition: end for partition, end in ends.items() if self._share.is_mine(topic, partition)}

    def _checked(self, tail: Tail, end: int | None) -> int:
        if end is None or end < tail.position:
            says = "has no such partition any more" if end is None else f"ends at {end}"
            raise TerminalError(
                f"{tail.topic}/{tail.partition} has landed up to offset {tail.position}, and the log {says}: it was "
                "replaced or set back to an old copy. Give --log the log that the home began with, or another --home"
            )
        return end

    def _open(self, topic: str, partition: int, begin: int) -> Tail:
        """The partition as the lake has it."""
        sweep(segment_path(self._home, topic, partition, 0).parent)
        # Pinned, so that a lake that is landed anew after the log's retention has passed is refused, not cut short.
        first = int(self._home.pin(f"first:{topic}/{partition}", str(begin)))
        tail = Tail(topic, partition, self._lanes.topic_id(topic, partition), start=first, position=first)
        self._follow(tail)
        return tail

    def _follow(self, tail: Tail) -> None:
        """Drop what is held and go to where the lake ends; send the dead letters that its last segment may owe."""
        last = last_footer(self._home, tail.topic, tail.partition)
        if last is None:
            return
        segment, footer = last
        if (footer.log, footer.topic_id) != (self._identity, tail.topic_id):
            raise TerminalError(
                f"{segment} has positions of topic {footer.topic_id} in the log {footer.log}, and {tail.topic} is now "
                f"topic {tail.topic_id} in the log {self._identity}: it was deleted and made again. Use another --home "
                "for the new one, or give --log the old one"
            )
        if footer.errors and dead_letters.owed(segment):
            bad = read(segment, dead_letters.COLUMNS).filter(pl.col("error").is_not_null())
            dead_letters.send(self._log, segment, bad)
        tail.goto(footer.next)

    def _take(self, tail: Tail) -> None:
        room = max(1, self._policy.rows - tail.rows)
        if is_backfill(tail.partition):
            room = min(room, BACKFILL_ROWS)
        try:
            with uncollected():
                batch = self._lanes.read_columns(tail.topic, tail.partition, tail.position, max_records=room)
        except TerminalError as error:
            raise TerminalError(
                f"{tail.topic}/{tail.partition} has landed up to offset {tail.position}, and the log can't give what "
                f"follows: {error} What it has lost is in no lake: import it again into another --home, and let the "
                "sink run more often than the log's retention"
            ) from error
        tail.hold(batch)

    def _flush(self, tail: Tail) -> None:
        # Asked after the reads: if the topic is still the one that it was before them, all that is held is of it.
        if (now := self._lanes.topic_id(tail.topic, tail.partition)) != tail.topic_id:
            raise TerminalError(
                f"{tail.topic} was topic {tail.topic_id} when it was last read, and is now topic {now} in the log "
                f"{self._identity}: it was deleted and made again. Use another --home for the new one"
            )
        frame = self._landing.blank(landed(tail.held(), tail.topic, tail.partition), tail.topic)
        bad = frame.filter(pl.col("error").is_not_null())
        footer = Footer(tail.topic, tail.partition, tail.position, self._identity, tail.topic_id, bad.height)
        if not write(self._home, tail.start, frame, footer):
            self._follow(tail)
            return
        so_far = self.landed
        self.landed = Landed(so_far.rows + frame.height, so_far.errors + bad.height, so_far.segments + 1)
        if bad.height:
            dead_letters.send(self._log, segment_path(self._home, tail.topic, tail.partition, tail.start), bad)
        tail.goto(tail.position)
