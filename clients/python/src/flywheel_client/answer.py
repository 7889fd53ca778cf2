"""What an answer of the collector means for the events that were sent: settled, to be split, or to be sent again.

Only the collector's word on a single event settles it. Whatever else comes back (a proxy's page, a key that is not
known, a wrong address) says nothing about the events, and they wait.
"""

import json
from typing import Any, Literal, NamedTuple, cast

State = Literal["accepted", "duplicate", "refused"]


class Settled(NamedTuple):
    """What became of events, by their place in the batch. A place that is missing is not known, and is sent again."""

    states: dict[int, tuple[State, str]]


class Split(NamedTuple):
    """The batch can't be taken as it is; smaller ones can. Of a single event it is the collector's last word."""

    reason: str


class Later(NamedTuple):
    """Nothing is known of the events: send them again, with the same ids."""

    reason: str
    asked: str | None = None
    """The Retry-After header."""
    ours: bool = False
    """It is not the server's bad hour but our key or address: someone has to mend it."""


Meaning = Settled | Split | Later


def meaning(status: int, retry_after: str | None, body: bytes, count: int) -> Meaning:
    """What an answer to a batch of `count` events says."""
    content = _object(body)
    states = _states(content.get("events"), count)
    if states and (status == 202 or (status in (400, 403, 413) and len(states) == count)):
        return Settled(states)  # of a body that it can't read the collector says one thing, whatever was in it
    reason = f"status {status}: {content.get('reason') or _first_line(body)}"
    if status in (400, 413):
        return Split(reason)
    return Later(reason, retry_after, ours=status not in (408, 429) and status < 500)


def _states(entries: Any, count: int) -> dict[int, tuple[State, str]]:
    """Place -> state and reason, of the entries that have both."""
    states: dict[int, tuple[State, str]] = {}
    for entry in cast(list[Any], entries) if isinstance(entries, list) else []:
        fields = cast(dict[str, Any], entry) if isinstance(entry, dict) else {}
        index, state = fields.get("index"), fields.get("state")
        if isinstance(index, int) and 0 <= index < count and state in ("accepted", "duplicate", "refused"):
            states[index] = state, str(fields.get("reason") or "")
    return states


def _object(body: bytes) -> dict[str, Any]:
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], content) if isinstance(content, dict) else {}


def _first_line(body: bytes) -> str:
    return " ".join(body[:200].decode(errors="replace").split())
