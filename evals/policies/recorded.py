"""Answers once given, by sample and trial: a product's own completions, or a file of JSON lines."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from environments.world import Offer
from evals.policies.policy import Policy, Reply, Unreadable, Usage
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.events.rollout import Step

Key = tuple[str, int]
"""(sample id, trial from 0)."""


class AnswerLine(BaseModel):
    """A line of a file of answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_id: str
    trial: int = 0
    text: str
    truncated: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None


class Recorded:
    """Answers by key. A single reply each: what came after it was not recorded."""

    parallel = 1

    def __init__(self, name: str, answers: Mapping[Key, Reply]) -> None:
        self.name, self._answers = name, answers
        self.priced = all(reply.usage.usd is not None for reply in answers.values())

    def at(self, sample_id: str, trial: int) -> Policy:
        """See `UnderTest.at`."""
        return _Answer(self.name, (sample_id, trial), self._answers.get((sample_id, trial)))

    def close(self) -> None:
        """Nothing is held."""


class _Answer:
    """The policy of one attempt."""

    def __init__(self, name: str, key: Key, recorded: Reply | None) -> None:
        self.name, self.key, self.recorded = name, key, recorded

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        del tools, seconds
        if self.recorded is None or any(step.role == "assistant" for step in steps):
            which = "a second answer" if self.recorded else "an answer"
            raise Unreadable(f"{self.name} has not recorded {which} to {self.key[0]}, attempt {self.key[1]}")
        return self.recorded


def completions(checkpoint_id: str, samples: Iterable[Sample]) -> Recorded:
    """What the checkpoint answered when it was served, as the set holds it."""
    return Recorded(
        checkpoint_id,
        {
            (sample.sample_id, 0): Reply(sample.completion)
            for sample in samples
            if sample.checkpoint_id == checkpoint_id and sample.completion is not None
        },
    )


def from_file(checkpoint_id: str, path: Path) -> Recorded:
    """The answers in a file of JSON lines. Raises TerminalError naming the line that is none, or comes twice."""
    answers: dict[Key, Reply] = {}
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                said = AnswerLine.model_validate_json(line)
                if (said.sample_id, said.trial) in answers:
                    raise TerminalError(
                        f"{path}, line {number}: {said.sample_id}, attempt {said.trial}, was answered above"
                    )
                answers[said.sample_id, said.trial] = Reply(
                    said.text,
                    usage=Usage(said.prompt_tokens, said.completion_tokens, said.usd, said.seconds),
                    finish="length" if said.truncated else "stop",
                )
    except OSError as error:
        raise TerminalError(f"the answers of {checkpoint_id} can't be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise TerminalError(f"{path}, line {len(answers) + 1} is no answer: {first['loc']}: {first['msg']}") from error
    return Recorded(checkpoint_id, answers)
