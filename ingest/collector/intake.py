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
CONTENT_BYTES = 8

Acknowledged = asyncio.Future[FlywheelError | None]


class Intake:
    """Lives in the event loop's thread."""

    def __init__(self, committer: Committer, seen: Seen, settings: Settings) -> None:
        self._committer = committer
        self._seen = seen
        self._settings = settings
        self._pending: dict[bytes, tuple[bytes, Part]] = {}
        self._loop = asyncio.get_running_loop()

    async def take(self, offered: list[Offered]) -> tuple[list[EventAnswer], list[Refusal]]:
        """What became of each, once the log has acknowledged, and the refused ones.

        Raises Turned (503) where there is no room, the log did not take them, or did not say so in time.
        """
        part = Part(self._loop)
        awaited = {part.done}
        answers: list[EventAnswer] = []
        refusals: list[Refusal] = []
        for event in offered:
            refusal = self._decide(event, part, awaited, answers) if isinstance(event, Ready) else event
            if refusal is not None:
                refusals.append(refusal)
                answers.append(EventAnswer(refusal.place, refusal.id, refusal.source, "refused", refusal.reason))
        self._give(part)
        await self._acknowledged(awaited)
        return answers, refusals

    def _decide(
        self, event: Ready, part: Part, awaited: set[Acknowledged], answers: list[EventAnswer]
    ) -> Refusal | None:
        id_, content = id_hash(event.source, event.id), bytes.fromhex(event.content)[:CONTENT_BYTES]
        if pending := self._pending.get(id_):
            known: bytes | None = pending[0]
            awaited.add(pending[1].done)
        else:
            known = self._seen.find(id_)
        if known is None:
            self._pending[id_] = (content, part)
            part.add(event.entry, id_, content)
            answers.append(EventAnswer(event.place, event.id, event.source, "accepted", cut=event.cut))
        elif known == content:
            answers.append(EventAnswer(event.place, event.id, event.source, "duplicate", cut=event.cut))
        else:
            reason = "an event with this source and id, and other content, came first: the first stays"
            return Refusal(event.place, event.id, event.source, event.type, reason)
        return None

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

    async def _acknowledged(self, awaited: set[Acknowledged]) -> None:
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
