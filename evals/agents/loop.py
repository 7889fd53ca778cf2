"""The tool loop: a policy replies, its calls are carried out in a world, until it calls nothing, or something is used
up.

Left out: calls side by side, and a memory that is shortened: a rollout that outgrows its model fails, and says so.
"""

import json
import time
from collections.abc import Sequence
from typing import Any, Final, cast

from environments.world import Answer, BadArguments, Offer, World
from evals.agents.agent import Budget, Ended, Outcome
from evals.agents.script import NO_ANSWER, Bring, Cue, Say, Script, TakeAway
from evals.grader.grade import Tripwire
from evals.policies.policy import Policy, Refused
from models.errors import FlywheelError
from models.events.rollout import Step, ToolCall

ASK: Final = Offer(
    "ask",
    "Ask the user a question where the task is unclear.",
    {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
)
"""The tool whose call the user of the script answers."""


class Loop:
    """One rollout on its way."""

    def __init__(self, policy: Policy, world: World, script: Script, budget: Budget) -> None:
        self._policy, self._world, self._budget = policy, world, budget
        self._steps: list[Step] = []
        self._tools = [*world.offers(), ASK]
        self._all = [tool.name for tool in self._tools]
        self._cues = list(script.cues)
        self._answers = list(script.answers)
        self._began = self._last = time.monotonic()

    def run(self, instructions: str) -> Ended:
        """Go on until it ends."""
        self._keep(Step(role="user", text=instructions))
        tokens = 0
        for number in range(self._budget.steps):
            self._happen([cue for cue in self._cues if cue.at_step == number])
            left = self._budget.seconds - (time.monotonic() - self._began)
            if left <= 0:
                return self._ended("timed_out", "seconds")
            try:
                reply = self._policy.reply(self._steps, self._tools, left)
            except Refused as error:
                return self._ended("failed", str(error), (error.evidence,))
            except FlywheelError as error:
                return self._ended("failed", str(error))
            self._keep(Step(role="assistant", text=reply.text, calls=reply.calls))
            used = (reply.usage.prompt_tokens or 0) + (reply.usage.completion_tokens or 0)
            tokens += used or _about(self._steps)
            if not reply.calls and not self._asked(reply.text):
                return self._ended("finished", "submitted")
            try:
                for call in reply.calls:
                    self._answer(call)
            except (FlywheelError, OSError) as error:
                return self._ended("failed", f"the world: {error}")
            if tokens > self._budget.tokens:
                return self._ended("out_of_steps", "tokens")
        return self._ended("out_of_steps", "steps")

    def _answer(self, call: ToolCall) -> None:
        answer = self._call(call)
        self._keep(Step(role="tool", tool=call.tool, call_id=call.call_id, text=answer.text, is_error=answer.is_error))
        self._happen([cue for cue in self._cues if cue.on_tool == call.tool])

    def _call(self, call: ToolCall) -> Answer:
        if call.tool not in {tool.name for tool in self._tools}:
            known = ", ".join(tool.name for tool in self._tools)
            return Answer(f"there is no tool {call.tool!r}; there are: {known}", True)
        try:
            arguments: Any = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError) as error:
            return Answer(f"the arguments are no JSON ({error}): call {call.tool} again with a JSON object", True)
        if not isinstance(arguments, dict):
            return Answer(f"the arguments are no JSON object: call {call.tool} again with one", True)
        if call.tool == ASK.name:
            return Answer(self._answers.pop(0) if self._answers else NO_ANSWER)
        try:
            return self._world.call(call.tool, cast("dict[str, Any]", arguments))
        except (BadArguments, ValueError) as error:
            return Answer(f"{error}", True)

    def _asked(self, text: str | None) -> bool:
        """A last word that is a question, while the script has an answer to it: the user gives it."""
        if not (text and text.rstrip().endswith("?") and self._answers):
            return False
        self._keep(Step(role="user", text=self._answers.pop(0)))
        return True

    def _happen(self, cues: Sequence[Cue]) -> None:
        for cue in cues:
            self._cues.remove(cue)
            match cue.do:
                case Say(text=text):
                    self._keep(Step(role="user", text=text))
                case TakeAway(tool=name):
                    self._tools = [tool for tool in self._tools if tool.name != name]
                case Bring() as bring:
                    new = self._world.bring(bring.tool, bring.description, bring.parameters, bring.command)
                    self._tools = [*(tool for tool in self._tools if tool.name != bring.tool), new]
                    self._all += [bring.tool] if bring.tool not in self._all else []

    def _keep(self, step: Step) -> None:
        now = time.monotonic()
        self._steps.append(step.model_copy(update={"seconds": round(now - self._last, 3)}))
        self._last = now

    def _ended(self, outcome: Outcome, detail: str, evidence: tuple[Tripwire, ...] = ()) -> Ended:
        seconds = time.monotonic() - self._began
        return Ended(outcome, detail, tuple(self._steps), tuple(self._all), round(seconds, 3), evidence)


def _about(steps: Sequence[Step]) -> int:
    """Tokens of a conversation that nobody counted: a quarter of its characters."""
    return sum(len(step.text or "") + sum(len(call.arguments) for call in step.calls) for step in steps) // 4
