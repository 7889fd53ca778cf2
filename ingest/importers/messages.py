"""Chat messages, as OpenAI's API has them, as the steps of a rollout."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from ingest.importers.base import Refused, inner, text_of
from models.events.base import Json
from models.events.oversize import cut
from models.events.rollout import Step, ToolCall
from models.ids import canonical_json

Role = Literal["system", "user", "assistant", "tool"]
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}

ROOM = 700_000
"""Bytes that the texts of a rollout may take: the log's entry has to hold all else too."""


def with_room(found: Sequence[Step], room: int = ROOM) -> tuple[Step, ...]:
    """`found`, the longest texts and arguments cut, with a marker, until all together take at most `room` bytes."""
    longest = max((len(text) for step in found for text in _texts(step)), default=0)
    while sum(_bytes(text) for step in found for text in _texts(step)) > room:
        longest //= 2
        found = [
            step.model_copy(
                update={
                    "text": None if step.text is None else cut(step.text, longest),
                    "calls": tuple(
                        call.model_copy(update={"arguments": cut(call.arguments, longest)}) for call in step.calls
                    ),
                }
            )
            for step in found
        ]
    return tuple(found)


def _texts(step: Step) -> list[str]:
    return [step.text or "", *(call.arguments for call in step.calls)]


def _bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode())


def steps(messages: Sequence[Any], failed: Callable[[str], bool] | None = None) -> tuple[Step, ...]:
    """A step a message. `failed` tells by its text whether a tool's answer is an error; without it nobody says."""
    found: list[Step] = []
    names: dict[str, str] = {}
    for message in messages:
        if not isinstance(message, dict):
            raise Refused(f"a message is {type(message).__name__}, not an object")
        row = cast(Json, message)
        role, text, called = role_of(row), text_in(row.get("content")), calls(row)
        names |= {call.call_id: call.tool for call in called if call.call_id}
        call_id = text_of(row.get("tool_call_id"))
        found.append(
            Step(
                role=role,
                text=text,
                calls=called,
                tool=(text_of(row.get("name")) or names.get(call_id or "")) if role == "tool" else None,
                call_id=call_id,
                is_error=failed(text or "") if role == "tool" and failed else None,
            )
        )
    return with_room(found)


def role_of(message: Json) -> Role:
    """The message's role. Raises Refused for one that is none."""
    role = ROLES.get(str(message.get("role")))
    if role is None:
        raise Refused(f"the role {message.get('role')!r} is none of {', '.join(ROLES)}")
    return role


def calls(message: Json) -> tuple[ToolCall, ...]:
    """The calls of an assistant's message, with their arguments as the model wrote them."""
    found: list[ToolCall] = []
    listed: Any = message.get("tool_calls")
    for call in cast(list[Any], listed) if isinstance(listed, list) else []:
        function = inner(cast(Json, call), "function") if isinstance(call, dict) else {}
        arguments = function.get("arguments")
        found.append(
            ToolCall(
                tool=text_of(function.get("name")) or "unnamed",
                arguments=arguments if isinstance(arguments, str) else canonical_json(arguments or {}),
                call_id=text_of(cast(Json, call).get("id")),
            )
        )
    return tuple(found)


def text_in(content: Any) -> str | None:
    """A message's text: as it stands, or the texts of its parts; other parts are left out."""
    if isinstance(content, str) or content is None:
        return content
    if not isinstance(content, list):
        raise Refused(f"a message's content is {type(content).__name__}, neither a text nor parts")
    parts = [cast(Json, part).get("text") if isinstance(part, dict) else part for part in cast(list[Any], content)]
    return "\n".join(part for part in parts if isinstance(part, str))
