"""Three assistants behind an endpoint of this machine, for the demo: programs that do well at a share of what is asked.

They stand for models, so that the demo needs none: they are asked over HTTP, as policies.yml says, and see what a model
sees. They know one behaviour, told by its tools, and say of all else that they can't.
"""

import hashlib
import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

import yaml

from environments.world import Offer
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.solving import Solver
from evals.policies.policy import Reply
from evals.policies.register import registered
from evals.policies.settings import FILE
from ingest.home import Home
from models.events.checkpoint import CheckpointRegistered
from models.events.rollout import Step, ToolCall
from stats.gate_plan import Wanted

SKILLS: Final = {"assistant-c": 0.45, "assistant-d": 0.9, "assistant-e": 0.3}
"""The share of samples that each does well: d is better than c, e is not."""
WANTED: Final = Wanted(difference=0.3, attempts=1, looks=2)
"""What the demo's gate looks for: small, so that it takes few samples."""
KNOWN: Final = BEHAVIOURS["tool_discovery"]
TOOLS: Final = frozenset({"search_tools", "use_tool"})
EVAL: Final = "eval:tool_use:behaviour"
"""A failure mode of the sample, as an eval: what they are compared on."""


@contextmanager
def assistants(home: Home) -> Generator[list[CheckpointRegistered]]:
    """Serve them until the block ends, and say in policies.yml where; their registrations, for the log."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Asked)
    thread = Thread(target=server.serve_forever, name="assistants", daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        file = home.path / FILE
        others: Any = yaml.safe_load(file.read_text()) if file.exists() else {}
        told = {name: {"url": url, "model": name, "parallel": 4} for name in SKILLS}
        file.write_text(yaml.safe_dump({**(others or {}), **told}))
        yield [registered(home, name, None) for name in SKILLS]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Asked(BaseHTTPRequestHandler):
    """Chat completions, whole."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one request."""
        body: Any = json.loads(self.rfile.read(int(self.headers["content-length"])))
        tools = [
            Offer(each["function"]["name"], each["function"]["description"], each["function"]["parameters"])
            for each in body.get("tools") or ()
        ]
        said = json.dumps(_said(_reply(str(body["model"]), [_step(each) for each in body["messages"]], tools))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Nothing: the demo has lines of its own."""


def _reply(model: str, steps: Sequence[Step], tools: Sequence[Offer]) -> Reply:
    asked = next((step.text or "" for step in steps if step.role == "user"), "")
    drawn = int.from_bytes(hashlib.sha256(f"{model}|{asked}".encode()).digest()[:4], "big") / 2**32
    if not {tool.name for tool in tools} >= TOOLS:
        return Reply("That is nothing that I can do.")
    plan = KNOWN.passing if drawn < SKILLS[model] else KNOWN.failing[int(drawn * 1_000) % len(KNOWN.failing)].plan
    return Solver(model, plan).reply(steps, tools, 60.0)


def _step(message: Any) -> Step:
    calls = tuple(
        ToolCall(tool=each["function"]["name"], arguments=each["function"]["arguments"], call_id=each["id"])
        for each in message.get("tool_calls") or ()
    )
    return Step(
        role=message["role"], text=message.get("content"), calls=calls, call_id=message.get("tool_call_id"),
        is_error=None,
    )  # fmt: skip


def _said(reply: Reply) -> dict[str, Any]:
    calls = [
        {
            "id": call.call_id or f"call-{place}",
            "type": "function",
            "function": {"name": call.tool, "arguments": call.arguments},
        }
        for place, call in enumerate(reply.calls)
    ]
    message = {"role": "assistant", "content": reply.text} | ({"tool_calls": calls} if calls else {})
    words = len((reply.text or "").split()) + sum(len(call.arguments) // 4 for call in reply.calls)
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": words},
    }
