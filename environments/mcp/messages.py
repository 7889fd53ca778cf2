"""JSON-RPC 2.0 as MCP speaks it over stdio: one object a line. Left out: batches, which MCP took back."""

import json
from typing import Any, cast

Message = dict[str, Any]

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the newest first. What we use of it is the same in all."""

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
BRING = "flywheel/bring"
"""A method of our own: a script brings a tool. Other servers don't know it, and needn't."""


def line(message: Message) -> str:
    """A message as it is sent."""
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")) + "\n"


def result(number: Any, told: Message) -> Message:
    """The answer to a request."""
    return {"id": number, "result": told}


def error(number: Any, code: int, said: str) -> Message:
    """What says that a request can't be answered."""
    return {"id": number, "error": {"code": code, "message": said}}


def read(text: str) -> Message | None:
    """The message of a line; None where it is no JSON object."""
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Message", told) if isinstance(told, dict) else None


def object_in(message: Message, name: str) -> Message:
    """The object under a name; an empty one where there is none."""
    told: Any = message.get(name)
    return cast("Message", told) if isinstance(told, dict) else {}
