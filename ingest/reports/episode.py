"""What a rule looks at: the steps of a rollout, or of a turn of a conversation put as steps. And what it finds.

A turn is the prompt, the answer, and the prompt that came next in the same conversation, where there is one: steps 0, 1
and 2. Rules that need tool calls find none there.
"""

from collections.abc import Iterator
from typing import NamedTuple

from models.events.rollout import RolloutRecorded, Step, ToolCall
from text import cues
from text.normal_form import preview

QUOTED = 140
"""Characters of evidence in a report."""


class Episode(NamedTuple):
    """Steps in their order, and what is known of them as a whole."""

    steps: tuple[Step, ...]
    tools: tuple[str, ...] | None = None
    """The tools that were there; None where nobody says."""
    outcome: str | None = None
    outcome_detail: str | None = None


class Finding(NamedTuple):
    """Something that a rule holds to be a fault."""

    steps: tuple[int, ...]
    """Where: numbers of steps from 0, ascending, one at least."""
    text: str
    """What, for a person who has not seen the rollout."""


class Exchange(NamedTuple):
    """A tool call with its answer."""

    step: int
    """The step that called."""
    call: ToolCall
    answered: int | None
    """The step that answers; None where none does."""
    text: str | None
    is_error: bool | None
    """What the tool says by itself, not what its text says."""

    @property
    def error(self) -> str | None:
        """By what the call is known to have failed: a line of its answer. None where it isn't known to have."""
        if self.is_error is False or self.text is None:
            return None
        said = cues.failed(self.text)
        return said or (self.text.strip().split("\n", 1)[0] if self.is_error else None)


def of_rollout(rollout: RolloutRecorded) -> Episode:
    """A rollout as rules see it."""
    return Episode(rollout.steps, rollout.tools, rollout.outcome, rollout.outcome_detail)


def of_turn(prompt: str | None, completion: str | None, following: str | None) -> Episode:
    """A response, with the prompt that followed it in the conversation, if one did."""
    steps = [Step(role="user", text=prompt), Step(role="assistant", text=completion)]
    return Episode((*steps, Step(role="user", text=following)) if following is not None else tuple(steps))


def exchanges(episode: Episode) -> list[Exchange]:
    """The tool calls in their order, each with its answer: by call id, else the answers that follow, in their order."""
    found: list[Exchange] = []
    for number, step in enumerate(episode.steps):
        if not step.calls:
            continue
        answers = list(_answers(episode.steps, number))
        by_id = {answer.call_id: place for place, answer in answers if answer.call_id is not None}
        unnamed = iter([place for place, answer in answers if answer.call_id is None])
        for call in step.calls:
            place = by_id.get(call.call_id) if call.call_id in by_id else next(unnamed, None)
            answer = None if place is None else episode.steps[place]
            text, is_error = (None, None) if answer is None else (answer.text, answer.is_error)
            found.append(Exchange(number, call, place, text, is_error))
    return found


def _answers(steps: tuple[Step, ...], number: int) -> Iterator[tuple[int, Step]]:
    """The tool steps between the step `number` and the next that is none."""
    for place in range(number + 1, len(steps)):
        if steps[place].role != "tool":
            return
        yield place, steps[place]


def quote(text: str) -> str:
    """The beginning of `text` on one line, in quotation marks."""
    return f"\u201c{preview(' '.join(text.split()), QUOTED)}\u201d"


def listed(steps: tuple[int, ...]) -> str:
    """Step numbers for a sentence: `step 4`, `steps 4, 6 and 8`; the first and last few of many."""
    if len(steps) == 1:
        return f"step {steps[0]}"
    shown = [str(step) for step in steps]
    if len(shown) > 8:
        shown = [*shown[:4], "...", *shown[-3:]]
    return f"steps {', '.join(shown[:-1])} and {shown[-1]}"
