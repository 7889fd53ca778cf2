"""A small tool server: tools as data, with the answers that each declares. What is called is kept, in order.

An answer is the first whose `when` agrees with the call's arguments. Left out: answers that are worked out; a part of
its own has those (`incident.py`, `application.py`).
"""

from functools import partial
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from environments.part import Arguments, Tool, text, wrong
from environments.world import Answer, BadArguments, Offer

MOST_FOUND = 8


class Given(BaseModel):
    """What a tool answers to some calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: dict[str, Any] = Field(default_factory=dict)
    """Arguments that a call must have; others may be there beside them."""
    text: str
    is_error: bool = False


class Declared(BaseModel):
    """A tool of the server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    parameters: dict[str, str] = Field(default_factory=dict)
    """Name of each argument, with its JSON type. All are required."""
    answers: tuple[Given, ...] = ()
    otherwise: Given = Given(text="done")
    faults: tuple[str | None, ...] = ()
    """The first calls fail with these words, in order; None: that call goes through."""
    place: str = "open"
    """`open`: offered from the start. `catalogue`: search_tools finds it, use_tool calls it. `dormant`: a script may
    bring it."""

    def offer(self) -> Offer:
        """As a model is told of it."""
        properties = {name: {"type": kind} for name, kind in self.parameters.items()}
        return Offer(
            self.name,
            self.description,
            {"type": "object", "properties": properties, "required": list(self.parameters)},
        )


class Called(BaseModel):
    """A call that arrived, for rubrics."""

    tool: str
    arguments: dict[str, Any]
    is_error: bool


class ToolServer:
    """The tools of a list of `Declared`, as JSON."""

    def __init__(self, given: list[dict[str, Any]]) -> None:
        self._tools = {each.name: each for each in map(Declared.model_validate, given)}
        self._times: dict[str, int] = dict.fromkeys(self._tools, 0)
        self._calls: list[Called] = []

    def tools(self) -> list[Tool]:
        """See `Part.tools`: what is open, and the way to the catalogue where there is one."""
        found = [self._tool(each) for each in self._tools.values() if each.place == "open"]
        return found + (self._doors() if self._catalogue() else [])

    def dormant(self) -> list[Tool]:
        """See `Part.dormant`."""
        return [self._tool(each) for each in self._tools.values() if each.place == "dormant"]

    def state(self) -> Any:
        """Every call, in order."""
        return [each.model_dump() for each in self._calls]

    def _catalogue(self) -> list[Declared]:
        return [each for each in self._tools.values() if each.place == "catalogue"]

    def _tool(self, declared: Declared) -> Tool:
        return Tool(declared.offer(), partial(self._answer, declared))

    def _doors(self) -> list[Tool]:
        search = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
        use = {
            "type": "object",
            "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["name", "arguments"],
        }
        return [
            Tool(Offer("search_tools", "Find tools of the catalogue by words.", search), self._search),
            Tool(Offer("use_tool", "Call a tool of the catalogue by its name.", use), self._use),
        ]

    def _search(self, arguments: Arguments) -> Answer:
        words = set(text(arguments, "query").lower().replace("_", " ").split())
        scored = [
            (-len(words & set(f"{each.name} {each.description}".lower().replace("_", " ").split())), each.name, each)
            for each in self._catalogue()
        ]
        found = [each for score, _, each in sorted(scored, key=lambda one: one[:2]) if score < 0][:MOST_FOUND]
        if not found:
            return wrong("no tool has any of these words in its name or description: try others")
        return Answer("\n".join(f"{each.name}({', '.join(each.parameters)}): {each.description}" for each in found))

    def _use(self, arguments: Arguments) -> Answer:
        name, given = text(arguments, "name"), arguments.get("arguments")
        declared = self._tools.get(name)
        if declared is None or declared.place != "catalogue":
            return wrong(f"the catalogue has no tool {name!r}: search_tools finds them")
        if not isinstance(given, dict):
            raise BadArguments("arguments must be a JSON object")
        return self._answer(declared, cast("Arguments", given))

    def _answer(self, declared: Declared, arguments: Arguments) -> Answer:
        missing = [name for name in declared.parameters if name not in arguments]
        if missing:
            raise BadArguments(
                f"{declared.name} wants {', '.join(declared.parameters)}; {', '.join(missing)} not given"
            )
        turn = self._times[declared.name]
        self._times[declared.name] += 1
        fault = declared.faults[turn] if turn < len(declared.faults) else None
        answer = wrong(fault) if fault is not None else _first(declared, arguments)
        self._calls.append(Called(tool=declared.name, arguments=dict(arguments), is_error=answer.is_error))
        return answer


def _first(declared: Declared, arguments: Arguments) -> Answer:
    fits = (
        given for given in declared.answers if all(arguments.get(name) == value for name, value in given.when.items())
    )
    given = next(fits, declared.otherwise)
    return Answer(given.text, given.is_error)
