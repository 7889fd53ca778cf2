"""What can be recorded: a method an event, each of which makes the event, gives it its id and its time, and is done.

Left out: checks that the collector makes. What it refuses is reported by `on_refused` and the log.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from datetime import datetime, timezone
from typing import Any, Literal, NamedTuple

from flywheel_client.ids import new_id


class Target(NamedTuple):
    """What feedback is about, where it is no response: `Target("trace", "t-1")`."""

    kind: Literal["response", "message", "trace", "span", "conversation"]
    id: str


class Recorded(str):
    """The id of an event that was taken in. It may be awaited, and is ready at once: nothing waits for the network."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, str]:
        """The id."""
        return str(self)
        yield  # makes it a generator, as `await` wants


AuthorKind = Literal["human", "llm", "code"]


class Recording(ABC):
    """The methods that both clients have. None waits. All take `id` and `at` (when it happened; default: now)."""

    def __init__(self, source: str | None) -> None:
        self._source = source

    @abstractmethod
    def _put(self, line: bytes) -> None: ...

    def thumb(
        self,
        about: str | Target,
        *,
        up: bool | None,
        person: str | None = None,
        author: AuthorKind = "human",
        metric: str = "thumb",
        id: str | None = None,  # noqa: A002 (the field's name)
        at: datetime | None = None,
    ) -> Recorded:
        """A thumb on a response (by its id) or another `Target`; `up=None` takes an earlier one back."""
        thumb = None if up is None else "up" if up else "down"
        data = {"target": _target(about), "author": _author(author, person), "thumb": thumb, "metric": metric}
        return self._record("feedback.thumb_given.v2", data, id, at)

    def comment(
        self,
        about: str | Target,
        text: str,
        *,
        person: str | None = None,
        author: AuthorKind = "human",
        metric: str | None = None,
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """What someone wrote about a response. `metric`: what it explains, where it came with a vote."""
        data = {"target": _target(about), "author": _author(author, person), "text": text, "metric": metric}
        return self._record("feedback.comment_left.v1", data, id, at)

    def score(
        self,
        about: str | Target,
        metric: str,
        value: float | bool | str | None,
        *,
        person: str | None = None,
        author: AuthorKind = "human",
        scale: tuple[float, float] | None = None,
        better: Literal["higher", "lower"] = "higher",
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """A score on any metric: a number, a boolean, a category as text, or None for skipped, which is no zero.

        `scale`: both ends, where there is one; without them a number can't be called low.
        """
        kind = "boolean" if isinstance(value, bool) else "categorical" if isinstance(value, str) else "numeric"
        data = {
            "target": _target(about),
            "author": _author(author, person),
            "metric": metric,
            "data_type": kind,
            "value": None if value is None or isinstance(value, str) else float(value),
            "label": value if isinstance(value, str) else None,
            "status": "skipped" if value is None else "scored",
            "scale_min": scale[0] if scale else None,
            "scale_max": scale[1] if scale else None,
            "better": better,
        }
        return self._record("feedback.score_given.v1", data, id, at)

    def report(
        self,
        text: str,
        about: str | Target | None = None,
        *,
        person: str | None = None,
        author: AuthorKind = "human",
        kind: Literal["dogfood", "automated"] = "dogfood",
        link: str | None = None,
        rating: float | None = None,
        scale: tuple[float, float] | None = None,
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """What went wrong, in words; about a response where it is known which."""
        data = {
            "target": None if about is None else _target(about),
            "author": _author(author, person),
            "kind": kind,
            "text": text,
            "link": link,
            "rating": rating,
            "scale_min": scale[0] if scale else None,
            "scale_max": scale[1] if scale else None,
        }
        return self._record("feedback.report_filed.v1", data, id, at)

    def preference(
        self,
        first: str | Target,
        second: str | Target,
        choice: Literal["first", "second", "tie"] | None,
        *,
        person: str | None = None,
        author: AuthorKind = "human",
        metric: str = "preference",
        explanation: str | None = None,
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """Which of two responses to one prompt is better; None: the comparison was skipped."""
        data = {
            "first": _target(first),
            "second": _target(second),
            "author": _author(author, person),
            "choice": choice,
            "status": "skipped" if choice is None else "given",
            "metric": metric,
            "explanation": explanation,
        }
        return self._record("feedback.preference_given.v1", data, id, at)

    def response(
        self,
        response_id: str,
        *,
        prompt: str | None = None,
        completion: str | None = None,
        person: str | None = None,
        conversation_id: str | None = None,
        model: str | None = None,
        audience: Literal["external", "internal"] = "external",
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
        **more: Any,
    ) -> Recorded:
        """A response that was served. `more`: other fields of `response.served.v1` (trace_id, latency_ms, variant)."""
        data = {
            "response_id": response_id,
            "prompt": prompt,
            "completion": completion,
            "person_id": person,
            "conversation_id": conversation_id,
            "model": model,
            "audience": audience,
            **more,
        }
        return self._record("response.served.v1", data, id, at)

    def exposure(
        self,
        experiment_id: str,
        variant: str,
        *,
        person: str | None = None,
        anonymous: str | None = None,
        response_id: str | None = None,
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """Someone met a variant of an experiment. One of `person` and `anonymous` must be there to be counted."""
        data = {
            "experiment_id": experiment_id,
            "variant": variant,
            "person_id": person,
            "anonymous_id": anonymous,
            "response_id": response_id,
        }
        return self._record("experiment.exposure_logged.v1", data, id, at)

    def metric(
        self,
        metric: str,
        value: float,
        *,
        person: str | None = None,
        anonymous: str | None = None,
        experiment_id: str | None = None,
        response_id: str | None = None,
        id: str | None = None,  # noqa: A002
        at: datetime | None = None,
    ) -> Recorded:
        """Something measured about a person; without an experiment it counts for all that the person is in."""
        data = {
            "metric": metric,
            "value": float(value),
            "experiment_id": experiment_id,
            "person_id": person,
            "anonymous_id": anonymous,
            "response_id": response_id,
        }
        return self._record("experiment.metric_observed.v1", data, id, at)

    def event(self, event: Mapping[str, Any]) -> Recorded:
        """A whole CloudEvent of any type, with `type` and `data` at least. An id is made where it has none.

        A `time` is not: without one, nobody knows when it happened. Raises ValueError without a `type` or `data`.
        """
        if not isinstance(event.get("type"), str) or not isinstance(event.get("data"), Mapping):
            raise ValueError(f"an event needs a type (a text) and data (an object); it has {sorted(event)}")
        return self._send({"specversion": "1.0", **event})

    def _record(self, type_: str, data: dict[str, Any], id_: str | None, at: datetime | None) -> Recorded:
        moment = at or datetime.now(timezone.utc)
        if moment.tzinfo is None:
            raise ValueError(f"at={moment.isoformat()} has no zone: a time without one is refused, never guessed")
        time = moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
        event = {"specversion": "1.0", "type": type_, "id": id_, "time": time, "data": data}
        return self._send(event)

    def _send(self, event: dict[str, Any]) -> Recorded:
        id_ = event["id"] = event.get("id") or new_id()
        if self._source is not None:
            event.setdefault("source", self._source)
        # Escapes keep half an emoji in one piece of ASCII; the collector repairs and flags it.
        self._put(json.dumps(event, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode())
        return Recorded(id_)


def _target(about: str | Target) -> dict[str, str]:
    kind, id_ = about if isinstance(about, tuple) else ("response", about)
    return {"kind": kind, "id": id_}


def _author(kind: str, person: str | None) -> dict[str, str | None]:
    return {"kind": kind, "id": person}
