"""A world as an MCP server on stdin and stdout: `python -m environments.mcp.server WORLD.json`.

The file holds the parts of a world, or an object that has them as its `world`, such as a sample of a behaviour. Tools
are offered, and nothing else of the protocol. `--state FILE` writes the state of the world there after each call, for
whoever grades; no client sees it.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TextIO

from environments.local import LocalWorld
from environments.mcp import messages
from environments.mcp.messages import Message
from environments.world import BadArguments, Offer, World
from models.errors import FlywheelError


class KeepsState(Protocol):
    """Told after each call."""

    def __call__(self) -> None:
        """Keep the state as it is."""
        ...


def nothing() -> None:
    """Keep nothing."""


class Server:
    """Answers messages from a world's tools."""

    def __init__(self, world: World, keep: KeepsState = nothing) -> None:
        self._world, self._keep = world, keep
        self._offers = {offer.name: offer for offer in world.offers()}

    def answer(self, text: str) -> Iterator[Message]:
        """What is said to one line: an answer where it asks for one, and a notification where tools changed."""
        message = messages.read(text)
        if message is None:
            yield messages.error(None, messages.PARSE_ERROR, "this line is no JSON object")
            return
        number, method = message.get("id"), message.get("method")
        if not isinstance(method, str):
            if "result" not in message and "error" not in message:
                yield messages.error(number, messages.INVALID_REQUEST, "a request names a method")
            return
        if number is None:
            return  # a notification wants no answer
        params = messages.object_in(message, "params")
        match method:
            case "initialize":
                yield messages.result(number, _hello(params))
            case "ping":
                yield messages.result(number, {})
            case "tools/list":
                yield messages.result(number, {"tools": [_tool(offer) for offer in self._offers.values()]})
            case "tools/call":
                yield self._call(number, params)
            case messages.BRING:
                yield from self._bring(number, params)
            case _:
                yield messages.error(number, messages.NO_METHOD, f"there is no method {method!r} here, only tools")

    def _call(self, number: Any, params: Message) -> Message:
        name = params.get("name")
        if name not in self._offers:
            known = ", ".join(self._offers)
            return messages.error(number, messages.INVALID_PARAMS, f"there is no tool {name!r}; there are: {known}")
        try:
            text, is_error = self._world.call(name, messages.object_in(params, "arguments"))
        except (BadArguments, ValueError) as bad:
            text, is_error = str(bad), True
        self._keep()
        return messages.result(number, {"content": [{"type": "text", "text": text}], "isError": is_error})

    def _bring(self, number: Any, params: Message) -> Iterator[Message]:
        try:
            offer = self._world.bring(
                str(params.get("tool")),
                str(params.get("description")),
                messages.object_in(params, "parameters"),
                tuple(map(str, params.get("command", ()))),
            )
        except FlywheelError as bad:
            yield messages.error(number, messages.INVALID_PARAMS, str(bad))
            return
        self._offers[offer.name] = offer
        yield messages.result(number, {})
        yield {"method": "notifications/tools/list_changed"}


def serve(server: Server, asked: TextIO, told: TextIO) -> None:
    """Answer line by line until there are no more."""
    for text in asked:
        for message in server.answer(text) if text.strip() else ():
            told.write(messages.line(message))
        told.flush()


def _hello(params: Message) -> Message:
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in messages.VERSIONS else messages.VERSIONS[0],
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "flywheel-world", "version": "1"},
    }


def _tool(offer: Offer) -> Message:
    return {"name": offer.name, "description": offer.description, "inputSchema": offer.parameters}


def main() -> None:
    """Serve the world of a file until stdin ends."""
    options = argparse.ArgumentParser(prog="python -m environments.mcp.server", description=__doc__)
    options.add_argument("world", type=Path, help="JSON: the parts of the world, or an object with a world.")
    options.add_argument("--state", type=Path, help="Where the state goes after each call.")
    given = options.parse_args()
    try:
        told = json.loads(given.world.read_text())
        world = LocalWorld(told.get("world", told))
    except (OSError, ValueError, AttributeError, FlywheelError) as bad:
        sys.exit(f"{given.world}: {bad}")
    keep = nothing if given.state is None else lambda: given.state.write_text(json.dumps(world.state()))
    keep()
    serve(Server(world, keep), sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
