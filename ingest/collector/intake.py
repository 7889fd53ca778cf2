"""From what a request offers to what becomes of it: new, known, contradicted, refused, or not taken at all.

An event is known once the log has acknowledged it, and while another request waits for that: then both wait.
"""

import asyncio

from ingest.collector.answers import EventAnswer, Refusal, Turned
from ingest.collector.committer import Committer, Part
from ingest.collector.offered import Offered, Ready
from ingest.collector.seen import Seen, id_hash
from ingest.collector.settings import Settings
from models.errors import FlywheelError

RETRY_SECONDS = 2.0
CONTRADICTION = "an event with this source and id, and other content, came first: the first stays"

Pending = dict[bytes, tuple[bytes, Part]]
"""Id hash -> content hash and the part that brings it to the log."""


class Intake:
    """Lives in the event loop's thread."""

    def __init__(self, committer: Committer, seen: Seen, settings: Settings) -> None:
        self._committer = committer
        self._seen = seen
        self._settings = settings
        self._pending: Pending = {}
        self._loop = asyncio.get_running_loop()

    async def take(self, offered: list[Offered]) -> tuple[list[EventAnswer], list[Refusal]]:
        """What became of each, once the log has acknowledged, and the refused ones.

        Raises Turned (503) where there is no room, the log did not take them, or did not say so in time.
        """
        ids = [id_hash(event.source, event.id) if isinstance(event, Ready) else b"" for event in offered]
        seen = self._seen.find([id_ for id_ in ids if id_ and id_ not in self._pending])
        request = _Request(self._pending, Part(self._loop))
        for event, id_ in zip(offered, ids, strict=True):
            if isinstance(event, Ready):
                request.decide(event, id_, seen.get(id_))
            else:
                request.refuse(event)
        self._give(request.part)
        await self._acknowledged(request.awaited)
        return request.answers, request.refusals

    def _give(self, part: Part) -> None:
        if not part.entries:
            part.done.set_result(None)
            return
        committer, settings = self._committer, self._settings
        events, size = committer.events + len(part.entries), committer.bytes + part.size
        if committer.events and (events > settings.waiting_events or size > settings.waiting_bytes):
            self._forget(part)
            raise Turned(503, f"{committer.events:,} events wait for the log: send it again", RETRY_SECONDS)
        part.done.add_done_callback(lambda _: self._forget(part))
        committer.give(part)

    def _forget(self, part: Part) -> None:
        for id_, _ in part.marks:
            if (pending := self._pending.get(id_)) and pending[1] is part:
                del self._pending[id_]

    async def _acknowledged(self, awaited: "set[asyncio.Future[FlywheelError | None]]") -> None:
        _, late = await asyncio.wait(awaited, timeout=self._settings.answer_seconds)
        if late:
            seconds = self._settings.answer_seconds
            raise Turned(
                503,
                f"the log has not acknowledged in {seconds:.0f} s, and may yet: send it again with the same ids",
                RETRY_SECONDS,
            )
        for done in awaited:
            if done.result() is not None:  # what it says names hosts and paths: it stands in our own log
                raise Turned(503, "the log did not take it: send it again with the same ids", RETRY_SECONDS)


class _Request:
    """One request's events while it is decided about them, without a pause in which another could come between."""

    def __init__(self, pending: Pending, part: Part) -> None:
        self.part = part
        self.awaited = {part.done}
        self.answers: list[EventAnswer] = []
        self.refusals: list[Refusal] = []
        self._pending = pending

    def decide(self, event: Ready, id_: bytes, known: bytes | None) -> None:
        """`known` is the content hash that was acknowledged with this id."""
        if pending := self._pending.get(id_):
            known = pending[0]
            self.awaited.add(pending[1].done)
        if known is None:
            self._pending[id_] = (event.content, self.part)
            self.part.add(event.entry, id_, event.content)
            self.answers.append(EventAnswer(event.place, event.id, event.source, "accepted", cut=event.cut))
        elif known == event.content:
            self.answers.append(EventAnswer(event.place, event.id, event.source, "duplicate", cut=event.cut))
        else:
            self.refuse(Refusal(event.place, event.id, event.source, event.type, CONTRADICTION))

    def refuse(self, refusal: Refusal) -> None:
        """It is not taken."""
        self.refusals.append(refusal)
        self.answers.append(EventAnswer(refusal.place, refusal.id, refusal.source, "refused", refusal.reason))
