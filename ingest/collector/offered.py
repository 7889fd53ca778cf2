"""What a request offers to the log: each event checked against the contract, the key and the log's limits.

What passes here lands in the lake as it is: the sink's reasons for quarantine are asked first.
"""

from typing import NamedTuple

from ingest.collector.answers import LONGEST_REASON, Refusal, Why
from ingest.collector.content import check_integers, check_nesting
from ingest.collector.keys import ApiKey, Scope
from ingest.log.base import MAX_ENTRY_BYTES, Entry, check_entry
from ingest.log.publish import fitting
from models.errors import BadEvent, TerminalError
from models.events import EVENT_TYPES, HEADERS, AnyEvent, dump, parse, type_name
from models.events.oversize import TooLarge
from models.events.privacy import ErasureRequested
from models.events.report import ReportFiled
from models.events.score import ScoreGiven
from models.unicode import printable

TOPIC_SCOPES: dict[str, Scope] = {"responses": "feedback", "feedback": "feedback", "experiments": "experiments"}
SCOPE_OF: dict[str, Scope] = {
    type_name(event): "erase" if event is ErasureRequested else TOPIC_SCOPES.get(event.topic, "internal")
    for event in EVENT_TYPES
}
"""Which scope writes which type: what isn't named here is written by our own workers."""

AUTOMATED = "automated"
"""The kind of a rule's report: what is measured of a rule rests on its own reports alone."""

CONTENT_BYTES = 8
SHORT_KEY = 250
"""Characters of a key that fits, whatever its letters are."""

ROOM = 4_096
"""Bytes of an entry that are left to its key and headers, as `publish` leaves them."""

LARGEST = MAX_ENTRY_BYTES - ROOM
"""Bytes of a value that goes to the log uncut."""


class Ready(NamedTuple):
    """An event that the log can take."""

    place: int
    id: str
    source: str
    type: str
    content: bytes
    """The beginning of its content hash: what tells a copy from a contradiction."""
    entry: Entry
    cut: bool


Offered = Ready | Refusal


class Sender(NamedTuple):
    """Who sends, and what stands for what an event leaves out."""

    key: ApiKey
    idempotency_key: str | None


def from_bytes(index: int, value: bytes, sender: Sender) -> Offered:
    """The event in `value` (structured mode), which goes to the log as it was sent, byte for byte."""
    try:
        check_nesting(value)
        event = parse(value, HEADERS)
    except BadEvent as error:
        return Refusal(index, None, None, "unknown", line(str(error)))
    return from_event(index, event, sender, value)


def from_event(index: int, event: AnyEvent, sender: Sender, value: bytes | None = None) -> Offered:
    """`event`, and how it was sent where that is what the log keeps."""
    if refused := _forbidden(event, sender.key):
        return _refusal(index, event, refused, "scope")
    try:
        check_integers(event)
        whole = dump(event) if value is None else value
        kept = whole
        if len(kept) > LARGEST:
            event = fitting(event)
            kept = dump(event)
        content = bytes.fromhex(event.content_hash())[:CONTENT_BYTES]
        entry = Entry(event.topic, event.key, kept, HEADERS)
        if len(entry.key) > SHORT_KEY:
            check_entry(entry)
    except TooLarge as error:
        return _refusal(index, event, str(error), "size")
    except BadEvent as error:
        return _refusal(index, event, str(error))
    except (ValueError, OverflowError, RecursionError, TerminalError) as error:
        return _refusal(index, event, f"has no canonical form: {error}")
    return Ready(index, event.id, event.source, event.type, content, entry, kept is not whole)


def line(reason: str) -> str:
    """`reason` in one line that any answer can hold."""
    short = " ".join(printable(reason).split())
    return short if len(short) <= LONGEST_REASON else f"{short[: LONGEST_REASON - 3]}..."


def _refusal(index: int, event: AnyEvent, reason: str, why: Why = "content") -> Refusal:
    return Refusal(index, event.id, event.source, event.type, line(reason), why)


def _forbidden(event: AnyEvent, key: ApiKey) -> str | None:
    """Why `key` may not write `event`; None if it may."""
    if not key.may_write_as(event.source):
        return f"the key {key.name!r} writes as {key.source!r} and below it, not as {event.source!r}"
    if "internal" in key.scopes:
        return None
    scope = SCOPE_OF[event.type]
    if scope not in key.scopes:
        whose = "is written by Flywheel's own workers" if scope == "internal" else f"needs the scope {scope!r}"
        return f"{event.type} {whose}; the key {key.name!r} has {', '.join(key.scopes)}"
    if isinstance(event, ScoreGiven) and (event.job_id is not None or event.epoch is not None):
        return f"{event.type}: job_id and epoch mark the scores of Flywheel's own judges: leave them out"
    if isinstance(event, ReportFiled) and (
        event.kind == AUTOMATED or event.rule is not None or event.rule_version is not None
    ):
        return f"{event.type}: kind 'automated', rule and rule_version mark the reports of Flywheel's own rules"
    return None
