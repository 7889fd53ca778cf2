"""Solvers: policies in plain Python that see what a model sees, steps and tools, and nothing of the sample.

A solver's plan is read from its beginning at every reply: a call that was made already gives the answer that it got,
and the first that was not is what the policy replies. So a plan is written straight down, keeps nothing between
replies, and serves several threads.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from environments.world import Answer, Offer
from evals.agents.loop import ASK
from evals.behaviours.seen import Made, calls_of
from evals.policies.policy import Reply
from models.events.rollout import Step, ToolCall


class _Next(Exception):
    """Ends a reading of the plan with what is to be replied."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class View:
    """What a plan sees."""

    def __init__(self, steps: Sequence[Step], tools: Sequence[Offer]) -> None:
        self.words = [step.text or "" for step in steps if step.role == "user"]
        """What the user said, the instructions first."""
        self.tools = {each.name: each for each in tools}
        """What can be called now."""
        self._steps = steps
        known: dict[str, list[Answer]] = defaultdict(list)
        for tool, arguments, answer in _answered(steps):
            known[_key(tool, arguments)].append(answer)
        self._known = {key: iter(answers) for key, answers in known.items()}

    @cached_property
    def made(self) -> tuple[Made, ...]:
        """Every call so far."""
        return calls_of(self._steps)

    @property
    def instructions(self) -> str:
        """The first words of the user."""
        return self.words[0]

    def call(self, tool: str, /, *, saying: str | None = None, **arguments: Any) -> Answer:
        """Its answer, if this call was made (the second time: if it was made twice); else it is made now."""
        written = json.dumps(arguments)
        answer = next(self._known.get(_key(tool, written), iter(())), None)
        if answer is None:
            raise _Next(Reply(saying, (ToolCall(tool=tool, arguments=written, call_id=f"call-{len(self._steps)}"),)))
        return answer

    def together(self, tool: str, each: Sequence[dict[str, Any]]) -> list[Answer]:
        """The answers to several calls of a tool; those that were not made yet are made in one reply."""
        written = [json.dumps(arguments) for arguments in each]
        answers = [next(self._known.get(_key(tool, text), iter(())), None) for text in written]
        number = len(self._steps)
        missing = tuple(
            ToolCall(tool=tool, arguments=text, call_id=f"call-{number}-{place}")
            for place, (text, answer) in enumerate(zip(written, answers, strict=True))
            if answer is None
        )
        if missing:
            raise _Next(Reply(None, missing))
        return [answer for answer in answers if answer is not None]

    def use(self, tool: str, **arguments: Any) -> Answer:
        """The same for a tool of a catalogue."""
        return self.call("use_tool", name=tool, arguments=arguments)

    def ask(self, question: str) -> str:
        """What the user answers."""
        return self.call(ASK.name, question=question).text

    def made_before(self, word: int, tool: str) -> list[Made]:
        """The calls of a tool that were made before the user's word of that number; all, where there is none yet."""
        places = [place for place, step in enumerate(self._steps) if step.role == "user"]
        end = places[word] if word < len(places) else len(self._steps)
        return [made for made in self.made if made.tool == tool and made.at < end and not made.is_error]


Plan = Callable[[View], str]
"""Acts by calls of the view; what it returns are the last words."""


class Solver:
    """A `Policy` that follows a plan."""

    def __init__(self, name: str, plan: Plan) -> None:
        self.name, self._plan = name, plan

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        del seconds
        try:
            return Reply(self._plan(View(steps, tools)))
        except _Next as next_:
            return next_.reply


def found(pattern: str, text: str) -> str:
    """The first group of the first match; empty where there is none."""
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1) if match else ""


def _key(tool: str, arguments: str) -> str:
    return f"{tool} {arguments}"


def _answered(steps: Sequence[Step]) -> Iterator[tuple[str, str, Answer]]:
    waiting: list[ToolCall] = []
    for step in steps:
        if step.role == "assistant":
            waiting = list(step.calls)
        elif step.role == "tool" and waiting:
            call = waiting.pop(0)
            yield call.tool, call.arguments, Answer(step.text or "", bool(step.is_error))
