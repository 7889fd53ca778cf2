"""A model behind an OpenAI-compatible endpoint, with our small tool loop. The endpoint is called from here, so that the
room stays without a network.

A search, or any other tool, on the provider's side is off: a request that asks for one is not made, and a reply that
holds one's results is refused and told as evidence. Left out: streaming, and several choices.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx

from environments.world import Offer
from evals.agents.agent import Budget, Ended
from evals.agents.loop import Loop
from evals.agents.script import Script
from evals.agents.tools import RoomWorld
from evals.cleanroom.room import Room
from evals.grader.grade import Tripwire
from evals.policies.policy import Refused, Reply, Usage
from models.errors import TerminalError, TransientError
from models.events.rollout import Step, ToolCall

SYSTEM = (
    "You work in a folder with source code. Do what the user asks by calling tools. "
    "When it is done, answer without calling a tool."
)
SERVER_TOOLS = ("web_search_options", "plugins", "search_parameters", "web_search", "enable_search", "search")
"""Fields of a request that ask for a search on the provider's side."""
AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)


class Endpoint:
    """An agent, and a policy: a model behind `url` (with the version, as in `http://host:8000/v1`).

    `extra` goes into each request (temperature, seed ...). Raises TerminalError where it asks for a tool of the
    provider.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        budget: Budget | None = None,
        extra: Mapping[str, Any] | None = None,
        system: str = SYSTEM,
        tries: int = 5,
        pause: float = 1.0,
    ) -> None:
        asked = [name for name in SERVER_TOOLS if name in (extra or {})] + (
            ["tools"] if "tools" in (extra or {}) else []
        )
        if asked:
            raise TerminalError(
                f"the endpoint's extra fields ask for {', '.join(asked)}: tools of the provider are off, take them out"
            )
        self.name, self.model = model, model
        self._url, self._key, self._extra, self._system = url.rstrip("/"), key, dict(extra or {}), system
        self._budget, self._tries, self._pause = budget or Budget(), tries, pause

    def run(self, room: Room, instructions: str, script: Script) -> Ended:
        """See `Agent.run`."""
        return Loop(self, RoomWorld(room), script, self._budget).run(instructions)

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        body = {
            **self._extra,
            "model": self.model,
            "messages": [{"role": "system", "content": self._system}, *(_message(step) for step in steps)],
            "tools": [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ],
        }
        return _reply(self._ask(body, time.monotonic() + seconds), len(steps))

    def _ask(self, body: dict[str, Any], until: float) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        said = "no answer"
        for turn in range(self._tries):
            left = until - time.monotonic()
            if left <= 0:
                break
            wait = self._pause * 2**turn
            try:
                answer = httpx.post(
                    f"{self._url}/chat/completions", json=body, headers=headers, timeout=min(left, 300.0)
                )
            except httpx.HTTPError as error:
                said = f"{type(error).__name__}: {error}"
            else:
                if answer.status_code == 200:
                    return _json(answer)
                said = f"HTTP {answer.status_code}: {answer.text[:200]}"
                if answer.status_code not in AGAIN:
                    raise TerminalError(f"{self._url} refuses: {said}")
                wait = max(wait, _after(answer))
            if turn + 1 < self._tries:
                time.sleep(max(0.0, min(wait, until - time.monotonic())))
        raise TransientError(f"{self._url} gives no reply after {self._tries} tries, the last: {said}")


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        told: Any = answer.json()
    except ValueError as error:
        raise TerminalError(f"{answer.url} answers with no JSON: {answer.text[:100]!r}") from error
    if not isinstance(told, dict):
        raise TerminalError(f"{answer.url} answers with no JSON object: {answer.text[:100]!r}")
    return cast("dict[str, Any]", told)


def _after(answer: httpx.Response) -> float:
    """What the endpoint wants to be waited, in seconds; at most a minute."""
    try:
        return min(60.0, float(answer.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0


def _message(step: Step) -> dict[str, Any]:
    if step.role == "tool":
        return {"role": "tool", "tool_call_id": step.call_id or "", "content": step.text or ""}
    if step.calls:
        calls = [
            {"id": call.call_id or "", "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in step.calls
        ]
        return {"role": step.role, "content": step.text, "tool_calls": calls}
    return {"role": step.role, "content": step.text or ""}


def _reply(told: dict[str, Any], number: int) -> Reply:
    found = _server_tools(told)
    if found:
        wire = Tripwire(name="provider_search", severity="cheat", where=f"step {number}", evidence=found[:300])
        raise Refused(
            f"the provider used a tool of its own ({found[:100]}), which is declared off: the reply is not used", wire
        )
    try:
        message = told["choices"][0]["message"]
        calls = tuple(
            ToolCall(
                tool=call["function"]["name"],
                arguments=_arguments(call["function"]),
                call_id=call.get("id") or f"call-{number}-{place}",
            )
            for place, call in enumerate(message.get("tool_calls") or ())
        )
        text = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise TerminalError(f"the endpoint's reply is none: {str(told)[:200]}") from error
    finish = "length" if told["choices"][0].get("finish_reason") == "length" else "stop"
    return Reply(text if isinstance(text, str) else None, calls, _usage(told), finish)


def _usage(told: dict[str, Any]) -> Usage:
    counts = cast("dict[str, Any]", told.get("usage") or {})
    asked, answered = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return Usage(asked if isinstance(asked, int) else None, answered if isinstance(answered, int) else None)


def _arguments(function: dict[str, Any]) -> str:
    arguments = function.get("arguments")
    return arguments if isinstance(arguments, str) else str(arguments or "")


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
            continue
        said = cast("dict[str, Any]", message)
        for key in ("annotations", "citations", "executed_tools", "search_results"):
            if said.get(key):
                return f"{key}: {str(said[key])[:200]}"
        for call in cast("list[Any]", said.get("tool_calls") or []):
            if isinstance(call, dict) and cast("dict[str, Any]", call).get("type", "function") != "function":
                return f"tool_calls: {str(cast('dict[str, Any]', call))[:200]}"
    return None
