"""A world in this process, put together from parts that a JSON object names."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from environments.part import Tool
from environments.parts import PARTS
from environments.world import Answer, BadArguments, Offer
from models.errors import TerminalError


class LocalWorld:
    """The `World` of `given`: `{part: what it is made from}`, such as `{"files": {"a.txt": "one"}}`.

    Raises TerminalError for a part that there is not, one that can't be made so, and a tool that two parts have.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._parts = {name: _made(name, content) for name, content in given.items()}
        self._tools: dict[str, Tool] = {}
        for part in self._parts.values():
            for each in part.tools():
                if each.offer.name in self._tools:
                    raise TerminalError(f"two parts of a world have a tool {each.offer.name!r}: rename one")
                self._tools[each.offer.name] = each
        self._offered = [each.offer for each in self._tools.values()]

    def offers(self) -> Sequence[Offer]:
        """See `World.offers`."""
        return self._offered

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """See `World.call`."""
        found = self._tools.get(tool)
        if found is None:
            raise BadArguments(f"there is no tool {tool!r}; there are: {', '.join(self._tools)}")
        return found.act(arguments)

    def bring(self, tool: str, description: str, parameters: dict[str, Any], command: tuple[str, ...]) -> Offer:
        """Wake the dormant tool that `command` names (one word). Raises TerminalError if there is none."""
        sleeping = {each.offer.name: each for part in self._parts.values() for each in part.dormant()}
        found = sleeping.get(command[0]) if len(command) == 1 else None
        if found is None:
            raise TerminalError(
                f"a script brings {tool!r} by {' '.join(command)!r}, which is no dormant tool of this world; "
                f"there are: {', '.join(sleeping) or 'none'}"
            )
        offer = Offer(tool, description, parameters if parameters.get("properties") else found.offer.parameters)
        self._tools[tool] = Tool(offer, found.act)
        return offer

    def state(self) -> dict[str, Any]:
        """How things stand in each part, as JSON."""
        return {name: part.state() for name, part in self._parts.items()}


def _made(name: str, content: Any) -> Any:
    if name not in PARTS:
        raise TerminalError(f"a world names the part {name!r}; known: {', '.join(sorted(PARTS))}")
    try:
        return PARTS[name](content)
    except (ValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise TerminalError(
            f"the part {name!r} of a world can't be made: {' '.join(str(error).split())[:200]}"
        ) from error
