"""A room as a world: a shell in it, its files, and what a script brings.

Files are read and written by commands inside the room, so that no link of the agent's leads anywhere else.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from environments.part import text
from environments.world import Answer, BadArguments, Offer
from evals.cleanroom.room import Ran, Room

LONGEST = 20_000
"""Characters of an answer; the middle of a longer one is left out, and said so."""


MOST_SECONDS = 600.0
"""Of a command, where the model asks for more than the room's limit."""


def shell(room: Room, arguments: dict[str, Any]) -> Answer:
    """Run a command; says how it ended."""
    seconds = arguments.get("seconds")
    most = (
        min(float(seconds), MOST_SECONDS)
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0
        else None
    )
    return told(room.run(["sh", "-c", text(arguments, "command")], seconds=most))


def read(room: Room, arguments: dict[str, Any]) -> Answer:
    """A file, or its lines from `first` to `last`."""
    first, last = arguments.get("first", 1), arguments.get("last", "$")
    if not isinstance(first, int) or not (isinstance(last, int) or last == "$"):
        raise BadArguments("first and last are numbers of lines, from 1")
    ran = room.run(["sed", "-n", f"{max(1, first)},{last}p", "--", text(arguments, "path")])
    return Answer(cut(ran.stdout.decode(errors="replace"))) if ran.ok else told(ran)


def write(room: Room, arguments: dict[str, Any]) -> Answer:
    """Write a whole file."""
    path, new = text(arguments, "path"), text(arguments, "text")
    ran = room.run(
        ["sh", "-c", 'mkdir -p -- "$(dirname -- "$0")" && cat > "$0"', path], stdin=new.encode(errors="replace")
    )
    return Answer(f"wrote {len(new)} characters to {path}") if ran.ok else told(ran)


def edit(room: Room, arguments: dict[str, Any]) -> Answer:
    """Put `new` in the place of `old`, which must be there exactly once."""
    path, old, new = text(arguments, "path"), text(arguments, "old"), text(arguments, "new")
    ran = room.run(["cat", "--", path])
    if not ran.ok:
        return told(ran)
    before = ran.stdout.decode(errors="replace")
    if not old or before.count(old) != 1:
        return Answer(f"old is there {before.count(old) if old else 0} times in {path}: it must be there once", True)
    return write(room, {"path": path, "text": before.replace(old, new)})


def told(ran: Ran) -> Answer:
    """A command's end, for a model to read."""
    out = cut(ran.stdout.decode(errors="replace") + ran.stderr.decode(errors="replace"))
    if ran.ok:
        return Answer(out)
    end = f"exit code {ran.code}" if ran.ended == "exited" else f"ended by a limit of the room: {ran.ended}"
    return Answer(f"{out}\n[{end}]".lstrip(), True)


def cut(text: str) -> str:
    """`text` without its middle, where it is too long."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _schema(*required: str, **kinds: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": list(required)}


SHELL = {"command": "string", "seconds": "number"}
READ = {"path": "string", "first": "integer", "last": "integer"}
EDIT = {"path": "string", "old": "string", "new": "string"}
Call = Callable[[Room, dict[str, Any]], Answer]

TOOLS: tuple[tuple[Offer, Call], ...] = (
    (Offer("shell", "Run a command with sh in the folder of the task.", _schema("command", **SHELL)), shell),
    (Offer("read", "Read a file, or its lines from first to last.", _schema("path", **READ)), read),
    (Offer("write", "Write a whole file.", _schema("path", "text", path="string", text="string")), write),
    (Offer("edit", "Replace a text that is in a file exactly once.", _schema(*EDIT, **EDIT)), edit),
)


class RoomWorld:
    """A `World` whose tools act in `room`."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._calls: dict[str, Call] = {offer.name: call for offer, call in TOOLS}

    def offers(self) -> Sequence[Offer]:
        """See `World.offers`."""
        return [offer for offer, _ in TOOLS]

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """See `World.call`."""
        return self._calls[tool](self._room, arguments)

    def bring(self, tool: str, description: str, parameters: dict[str, Any], command: tuple[str, ...]) -> Offer:
        """A command that gets the call's arguments as JSON on its standard input, in the room."""

        def run(room: Room, arguments: dict[str, Any]) -> Answer:
            return told(room.run(command, stdin=json.dumps(arguments).encode()))

        self._calls[tool] = run
        return Offer(tool, description, parameters)
