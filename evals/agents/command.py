"""Any command line as an agent, run inside the room: `{workdir}` and `{instructions}` are put in where they stand.

What it did is known from what it prints, and from a file of steps where it writes one. Left out: scripts that
interrupt, since a command line has no door for it.
"""

from collections.abc import Sequence

from pydantic import ValidationError

from evals.agents.agent import Ended, Outcome
from evals.agents.script import Script
from evals.agents.tools import cut
from evals.cleanroom.room import WORK, Ran, Room
from models.errors import FlywheelError, TerminalError
from models.events.rollout import Step

MOST_STEPS = 2_000


class Command:
    """An agent that is a command, such as `("my-agent", "--dir", "{workdir}", "--prompt", "{instructions}")`.

    It may take `seconds`; None: the room's limit. `steps_file` is a path in the tree to which it writes one `Step` a
    line as JSON. Raises TerminalError for no words.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        name: str | None = None,
        seconds: float | None = None,
        steps_file: str | None = None,
    ) -> None:
        if not words:
            raise TerminalError(
                "an agent's command has no words: give the program, with {workdir} and {instructions} where they belong"
            )
        self.name = name or words[0].rpartition("/")[2]
        self._words, self._seconds, self._steps_file = tuple(words), seconds, steps_file

    def run(self, room: Room, instructions: str, script: Script) -> Ended:
        """See `Agent.run`."""
        if script.cues or script.answers:
            raise TerminalError(
                f"agent {self.name} is a command line, which no script can interrupt: use an endpoint, or no script"
            )
        words = [word.replace("{workdir}", WORK).replace("{instructions}", instructions) for word in self._words]
        first = Step(role="user", text=instructions, seconds=0.0)
        try:
            ran = room.run(words, seconds=self._seconds)
            steps = [*self._steps(room), Step(role="assistant", text=_printed(ran), seconds=round(ran.seconds, 3))]
        except (FlywheelError, OSError) as error:
            return Ended("failed", f"the room: {error}", (first,), (), 0.0)
        outcome, detail = _outcome(ran)
        tools = tuple(dict.fromkeys(call.tool for step in steps for call in step.calls))
        return Ended(outcome, detail, (first, *steps), tools, round(ran.seconds, 3))

    def _steps(self, room: Room) -> list[Step]:
        """Its own steps. A line that is none is passed over."""
        if self._steps_file is None:
            return []
        found: list[Step] = []
        for line in room.run(["cat", "--", self._steps_file]).stdout.splitlines()[:MOST_STEPS]:
            try:
                found.append(Step.model_validate_json(line))
            except ValidationError:
                continue
        return found


def _printed(ran: Ran) -> str:
    return cut(ran.stdout.decode(errors="replace") + ran.stderr.decode(errors="replace"))


def _outcome(ran: Ran) -> tuple[Outcome, str]:
    if ran.ended == "timed out":
        return "timed_out", ran.ended
    if ran.ended != "exited":
        return "failed", ran.ended
    return ("finished", "exit code 0") if ran.code == 0 else ("failed", f"exit code {ran.code}")
