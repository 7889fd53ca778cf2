"""Tool calls in plain text, for models that write them there: how they are asked to, and how they are read.

The form is `<tool_call>{"name": NAME, "arguments": {...}}</tool_call>`, a call each. Broken JSON becomes a call whose
arguments stand as they were written, so that the loop can say what is wrong with them.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

import regex
from pydantic import ValidationError

from environments.world import Offer
from models.events.rollout import ToolCall

FORM = regex.compile(r"<tool_call>\s*(?<call>.*?)\s*(?:</tool_call>|\Z)", regex.DOTALL)
NAME = regex.compile(r'"name"\s*:\s*"(?<name>[^"\\]{1,200})"')


def told(tools: Sequence[Offer]) -> str:
    """What a model is told that has no form of its own for tools."""
    lines = [
        json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        for tool in tools
    ]
    return "\n".join(
        [
            "You can call tools. To call one, write a line like this, with the arguments as JSON:",
            '<tool_call>{"name": "NAME", "arguments": {}}</tool_call>',
            "The tools:",
            *lines,
        ]
    )


def written(call: ToolCall) -> str:
    """A call in that form."""
    try:
        arguments: Any = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return f'<tool_call>{{"name": {json.dumps(call.tool)}, "arguments": {call.arguments}}}</tool_call>'
    return f"<tool_call>{json.dumps({'name': call.tool, 'arguments': arguments})}</tool_call>"


def calls_in(text: str, number: int) -> tuple[str | None, tuple[ToolCall, ...]]:
    """The words around the calls in `text` (None: there are none), and the calls. `number` makes their ids."""
    calls: list[ToolCall] = []
    for found in FORM.finditer(text):
        call = _call(found["call"], f"call-{number}-{len(calls)}")
        if call is not None:
            calls.append(call)
    if not calls:
        return text, ()
    rest = FORM.sub("", text).strip()
    return rest or None, tuple(calls)


def _call(said: str, call_id: str) -> ToolCall | None:
    try:
        parsed: Any = json.loads(said)
    except (ValueError, RecursionError):
        name = NAME.search(said)
        return _made(name["name"], said, call_id) if name else None
    if not isinstance(parsed, dict):
        return None
    call = cast("dict[str, Any]", parsed)
    arguments = call.get("arguments", call.get("parameters", {}))
    return _made(call.get("name"), arguments if isinstance(arguments, str) else json.dumps(arguments), call_id)


def _made(name: Any, arguments: str, call_id: str) -> ToolCall | None:
    try:
        return ToolCall(tool=name, arguments=arguments, call_id=call_id)
    except ValidationError:
        return None
