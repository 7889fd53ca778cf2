"""The form of an OpenAI-compatible endpoint's requests and replies. Pure.

A reply that holds results of a tool on the provider's side is refused and told as evidence.
"""

import json
from typing import Any, cast

from evals.grader.grade import Tripwire
from evals.policies.policy import Refused, Reply, Unreadable, Usage
from models.events.rollout import Step, ToolCall


def message_of(step: Step) -> dict[str, Any]:
    """A step as a message of a request."""
    if step.role == "tool":
        return {"role": "tool", "tool_call_id": step.call_id or "", "content": step.text or ""}
    if step.calls:
        calls = [
            {"id": call.call_id or "", "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in step.calls
        ]
        return {"role": step.role, "content": step.text, "tool_calls": calls}
    return {"role": step.role, "content": step.text or ""}


def reply_of(told: dict[str, Any], number: int) -> Reply:
    """The reply in an answer, as step `number`. Raises Unreadable for none, Refused for one that must not be used."""
    try:
        found = _server_tools(told)
        if found is None:
            return _parsed(told, number)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Unreadable(f"the endpoint's reply is none: {str(told)[:200]}") from error
    wire = Tripwire(name="provider_search", severity="cheat", where=f"step {number}", evidence=found[:300])
    raise Refused(
        f"the provider used a tool of its own ({found[:100]}), which is declared off: the reply is not used", wire
    )


def _parsed(told: dict[str, Any], number: int) -> Reply:
    choice = told["choices"][0]
    message = choice["message"]
    calls = tuple(
        ToolCall(
            tool=call["function"]["name"],
            arguments=_arguments(call["function"]),
            call_id=call.get("id") or f"call-{number}-{place}",
        )
        for place, call in enumerate(message.get("tool_calls") or ())
    )
    finish = "length" if choice.get("finish_reason") == "length" else "stop"
    return Reply(_text(message.get("content")), calls, _usage(told), finish)


def _text(content: Any) -> str | None:
    """The words of a message, which some endpoints give in parts."""
    if isinstance(content, list):
        parts = [str(part.get("text") or "") for part in cast("list[dict[str, Any]]", content)]
        return "".join(parts) or None
    return content if isinstance(content, str) else None


def _usage(told: dict[str, Any]) -> Usage:
    counts = cast("dict[str, Any]", told.get("usage") or {})
    return Usage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(said: Any) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else None


def _arguments(function: dict[str, Any]) -> str:
    arguments = function.get("arguments")
    return arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""


def _server_tools(told: dict[str, Any]) -> str | None:
    """What in a reply shows that the provider searched, or ran a tool itself; None: nothing does."""
    for key in ("citations", "search_results", "web_search"):
        if told.get(key):
            return f"{key}: {str(told[key])[:200]}"
    usage: Any = told.get("usage") or {}
    if isinstance(usage, dict):
        counts = cast("dict[str, Any]", usage)
        server = counts.get("server_tool_use")
        if isinstance(server, dict) and any(cast("dict[str, Any]", server).values()):
            return f"usage.server_tool_use: {server}"
        if counts.get("num_search_queries"):
            return f"usage.num_search_queries: {counts['num_search_queries']}"
    for choice in cast("list[Any]", told.get("choices") or []):
        message: Any = cast("dict[str, Any]", choice).get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            continue  # which is for `_reply` to find
        said = cast("dict[str, Any]", message)
        for key in ("annotations", "citations", "executed_tools", "search_results"):
            if said.get(key):
                return f"{key}: {str(said[key])[:200]}"
        for call in cast("list[Any]", said.get("tool_calls") or []):
            if isinstance(call, dict) and cast("dict[str, Any]", call).get("type", "function") != "function":
                return f"tool_calls: {str(cast('dict[str, Any]', call))[:200]}"
    return None
