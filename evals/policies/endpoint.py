"""A model behind an OpenAI-compatible endpoint: the one way in which the product calls one.

A search, or any other tool, on the provider's side is off: a request that asks for one is not made, and a reply that
holds one's results is refused and told as evidence. Left out: streaming, and several choices.
"""

import json
import random
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx

from environments.world import Offer
from evals.policies.pace import Pace
from evals.policies.policy import Policy, Reply, Unreadable
from evals.policies.settings import Prices
from evals.policies.wire import message_of, reply_of
from models.errors import TerminalError, TransientError
from models.events.rollout import Step
from models.ids import digest

SERVER_TOOLS = ("web_search_options", "plugins", "search_parameters", "web_search", "enable_search", "search")
"""Fields of a request that ask for a search on the provider's side."""
AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
LONGEST_PAUSE_S = 60.0
LARGEST_BYTES = 32 << 20
"""Of an answer: what is larger is nonsense, and would fill the memory."""


class EndpointPolicy:
    """A policy, and a model under test: `url` has the version in it, as in `http://host:8000/v1`.

    `extra` goes into each request (temperature, max_tokens ...). Asked again up to `tries` times where it is busy or
    out of reach, with pauses that double from `pause` seconds, or as long as it asks for; a busy answer holds all
    threads back. `seconds`: of one request. Raises TerminalError where `extra` asks for a tool of the provider.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        extra: Mapping[str, Any] | None = None,
        system: str | None = None,
        tries: int = 5,
        pause: float = 1.0,
        seconds: float = 300.0,
        parallel: int = 8,
        prices: Prices | None = None,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        seeded: bool = False,
        name: str | None = None,
    ) -> None:
        asked = [field for field in SERVER_TOOLS if field in (extra or {})] + (
            ["tools"] if "tools" in (extra or {}) else []
        )
        if asked:
            raise TerminalError(
                f"the endpoint's extra fields ask for {', '.join(asked)}: tools of the provider are off, take them out"
            )
        self.name, self.model, self.parallel, self.priced = name or model, model, parallel, prices is not None
        self._url, self._extra, self._system = url.rstrip("/"), dict(extra or {}), system
        self._tries, self._pause, self._seconds, self._prices, self._seeded = tries, pause, seconds, prices, seeded
        self._requests, self._tokens = Pace(requests_per_minute), Pace(tokens_per_minute)
        self._client = httpx.Client(
            headers={"authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=parallel),
        )
        weakref.finalize(self, self._client.close)

    def at(self, sample_id: str, trial: int) -> Policy:
        """See `UnderTest.at`: another seed, where requests carry one."""
        return _Seeded(self, int(digest([sample_id, trial])[:7], 16)) if self._seeded else self

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`. Raises Unreadable for an answer that is none."""
        return self.ask(steps, tools, seconds, {})

    def ask(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float, more: Mapping[str, Any]) -> Reply:
        """`reply`, with `more` fields in the request."""
        system = [{"role": "system", "content": self._system}] if self._system else []
        body: dict[str, Any] = {
            **self._extra,
            **more,
            "model": self.model,
            "messages": [*system, *(message_of(step) for step in steps)],
        }
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        guess = _guess(body)
        until = time.monotonic() + seconds
        self._tokens.take(guess, until)
        told, took = self._ask(body, until)
        reply = reply_of(told, len(steps))
        used = reply.usage
        if used.prompt_tokens is not None or used.completion_tokens is not None:
            self._tokens.correct(guess, (used.prompt_tokens or 0) + (used.completion_tokens or 0))
        usd = self._prices.usd(used.prompt_tokens, used.completion_tokens) if self._prices else None
        return reply._replace(usage=used._replace(usd=usd, seconds=round(took, 4)))

    def _ask(self, body: dict[str, Any], until: float) -> tuple[dict[str, Any], float]:
        """The answer's JSON, and the seconds that the request took which brought it."""
        said = "no answer in time"
        for turn in range(self._tries):
            self._requests.take(1, until)
            began = time.monotonic()
            if began >= until:
                break
            wait = self._pause * 2**turn * random.uniform(0.75, 1.25)
            try:
                status, headers, content = self._post(body, min(until, began + self._seconds))
            except httpx.HTTPError as error:
                said = f"{type(error).__name__}: {error}"
            else:
                if status == 200:
                    return _json(self._url, content), time.monotonic() - began
                said = f"HTTP {status}: {content[:200].decode(errors='replace')}"
                if status not in AGAIN:
                    raise TerminalError(f"{self._url} refuses: {said}")
                if asked := _after(headers):
                    self._requests.hold(asked)
                    wait = max(wait, asked)
            if turn + 1 < self._tries:
                time.sleep(max(0.0, min(wait, until - time.monotonic())))
        raise TransientError(f"{self._url} gives no reply after {self._tries} tries, the last: {said}")

    def _post(self, body: dict[str, Any], until: float) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body. An answer that trickles in past `until` is one that comes too late."""
        left = max(0.01, until - time.monotonic())
        parts: list[bytes] = []
        size = 0
        with self._client.stream("POST", f"{self._url}/chat/completions", json=body, timeout=left) as answer:
            for part in answer.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > LARGEST_BYTES:
                    raise Unreadable(f"{self._url} answers with more than {LARGEST_BYTES >> 20} MiB")
                if time.monotonic() > until:
                    raise httpx.ReadTimeout("the answer was not whole in time", request=answer.request)
            return answer.status_code, answer.headers, b"".join(parts)


class _Seeded:
    """One attempt at an endpoint whose requests carry a seed."""

    def __init__(self, policy: EndpointPolicy, seed: int) -> None:
        self.name, self._policy, self._seed = policy.name, policy, seed

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        return self._policy.ask(steps, tools, seconds, {"seed": self._seed})


def _guess(body: Mapping[str, Any]) -> int:
    """Tokens that a request may use, before anybody has counted: a quarter of its characters, and its limit."""
    characters = sum(len(str(message)) for message in body["messages"])
    limit = body.get("max_tokens") or body.get("max_completion_tokens")
    return characters // 4 + (int(limit) if isinstance(limit, int | float) else 0)


def _json(url: str, content: bytes) -> dict[str, Any]:
    try:
        told: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{url} answers with no JSON: {content[:100]!r}") from error
    if not isinstance(told, dict):
        raise Unreadable(f"{url} answers with no JSON object: {content[:100]!r}")
    return cast("dict[str, Any]", told)


def _after(headers: httpx.Headers) -> float:
    """What the endpoint wants to be waited, in seconds; at most a minute, 0 where it says nothing that is a number."""
    try:
        asked = float(headers.get("retry-after", "0"))
    except ValueError:
        return 0.0
    return min(LONGEST_PAUSE_S, asked) if asked > 0 else 0.0
