"""An MCP server, started as a process, as a world. Its tools are what it offers.

Left out: everything that a server may ask of a client (sampling, roots, questions): it is told that there is no such
method. Pictures and sounds in an answer are named, not kept.
"""

import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, cast

from environments.mcp import messages
from environments.mcp.messages import Message
from environments.world import Answer, BadArguments, Offer
from models.errors import FlywheelError, TerminalError, TransientError

MOST_PAGES = 100


class McpError(FlywheelError):
    """The server's own word that it can't answer a request."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code


class McpWorld:
    """A `World` whose tools are those of the server that `command` starts.

    An answer may take `seconds`. Raises TransientError where the server can't be started, ends, or is too slow, and
    TerminalError where it speaks another protocol. Use it as a context: the process ends with it.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 60.0) -> None:
        self._name, self._seconds, self._number = command[0], seconds, 0
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, text=True,
                encoding="utf-8", env=dict(env) if env is not None else None,
            )  # fmt: skip
        except OSError as error:
            self._stderr.close()
            raise TransientError(f"the MCP server {self._name} can't be started: {error}") from error
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._greet()
            self._offers = self._list()
        except BaseException:
            self._process.kill()
            self.close()
            raise

    def __enter__(self) -> "McpWorld":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.close()
            self._process.wait(timeout=2.0)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=5.0)
        self._process.stdout.close()
        self._stderr.close()

    def offers(self) -> Sequence[Offer]:
        """See `World.offers`."""
        return self._offers

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """See `World.call`."""
        try:
            told = self._ask("tools/call", {"name": tool, "arguments": arguments})
        except McpError as error:
            if error.code == messages.INVALID_PARAMS:
                raise BadArguments(str(error)) from error
            return Answer(str(error), is_error=True)
        return Answer(_text(told), is_error=told.get("isError") is True)

    def bring(self, tool: str, description: str, parameters: dict[str, Any], command: tuple[str, ...]) -> Offer:
        """A server of ours is told; any other must offer the tool by itself by now, else TerminalError."""
        asked = {"tool": tool, "description": description, "parameters": parameters, "command": list(command)}
        try:
            self._ask(messages.BRING, asked)
        except McpError as error:
            if error.code != messages.NO_METHOD:
                raise TerminalError(f"the MCP server {self._name} can't bring {tool}: {error}") from error
        self._offers = self._list()
        found = next((offer for offer in self._offers if offer.name == tool), None)
        if found is None:
            raise TerminalError(f"a script brings {tool!r}, which the MCP server {self._name} doesn't offer")
        return found

    def _greet(self) -> None:
        me = {"name": "flywheel", "version": "1"}
        told = self._ask("initialize", {"protocolVersion": messages.VERSIONS[0], "capabilities": {}, "clientInfo": me})
        if told.get("protocolVersion") not in messages.VERSIONS:
            raise TerminalError(
                f"the MCP server {self._name} speaks version {told.get('protocolVersion')!r} of the protocol; "
                f"known: {', '.join(messages.VERSIONS)}"
            )
        self._send({"method": "notifications/initialized"})

    def _list(self) -> list[Offer]:
        offers: list[Offer] = []
        params: Message = {}
        for _ in range(MOST_PAGES):
            told = self._ask("tools/list", params)
            offers += [
                Offer(str(each["name"]), str(each.get("description", "")), messages.object_in(each, "inputSchema"))
                for each in cast("list[Message]", told.get("tools", []))
            ]
            if not told.get("nextCursor"):
                return offers
            params = {"cursor": told["nextCursor"]}
        raise TerminalError(f"the MCP server {self._name} has more than {MOST_PAGES} pages of tools")

    def _ask(self, method: str, params: Message) -> Message:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._next(method)
            if message.get("method") is not None:
                self._refuse(message)
            elif message.get("id") == self._number:
                if "error" in message:
                    error = messages.object_in(message, "error")
                    raise McpError(int(error.get("code", 0)), str(error.get("message", "no reason given")))
                return messages.object_in(message, "result")

    def _next(self, method: str) -> Message:
        try:
            text = self._lines.get(timeout=self._seconds)
        except Empty:
            raise TransientError(
                f"the MCP server {self._name} gives no answer to {method} in {self._seconds:g} s"
            ) from None
        if text is None:
            raise TransientError(f"the MCP server {self._name} ended: {self._last_words()}")
        return messages.read(text) or {}

    def _refuse(self, message: Message) -> None:
        """The server asks something itself."""
        if message.get("id") is None:
            return
        known = message["method"] == "ping"
        self._send(
            messages.result(message["id"], {})
            if known
            else messages.error(message["id"], messages.NO_METHOD, "this client only calls tools")
        )

    def _send(self, message: Message) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(messages.line(message))
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise TransientError(f"the MCP server {self._name} ended: {self._last_words()}") from error

    def _read(self) -> None:
        assert self._process.stdout
        for text in self._process.stdout:
            self._lines.put(text)
        self._lines.put(None)

    def _last_words(self) -> str:
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            code = None
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return f"exit code {code}, {lines[-1][:200]}" if lines else f"exit code {code}"


def _text(told: Message) -> str:
    parts: list[str] = []
    for each in cast("list[Message]", told.get("content", [])):
        parts.append(str(each["text"]) if each.get("type") == "text" else f"[{each.get('type', 'something')} left out]")
    return "\n".join(parts)
