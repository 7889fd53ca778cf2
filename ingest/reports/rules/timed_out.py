"""Something took too long: the rollout as a whole, a tool, or the model itself, whose answer is then the message."""

from ingest.reports.episode import Episode, Finding, exchanges, quote
from ingest.reports.rule import Rule
from text import cues

LONGEST_MESSAGE = 160
"""Characters of an answer that can be nothing but the message of a time-out. A longer one talks about time-outs."""


def look(episode: Episode) -> list[Finding]:
    """One finding for each tool call that timed out, each answer that is such a message, and for the rollout."""
    found: list[Finding] = []
    for exchange in exchanges(episode):
        if exchange.is_error is not False and exchange.text and (said := cues.timed_out(exchange.text)):
            steps = tuple(sorted({exchange.step, exchange.answered or exchange.step}))
            found.append(Finding(steps, f"The tool {exchange.call.tool} timed out: {quote(said)}"))
    for place, step in enumerate(episode.steps):
        if step.role == "assistant" and not step.calls and (said := _message(step.text or "")) is not None:
            found.append(Finding((place,), f"The answer is only that it timed out: {quote(said)}"))
    if episode.outcome == "timed_out" and episode.steps:
        detail = f" ({episode.outcome_detail})" if episode.outcome_detail else ""
        found.append(
            Finding((len(episode.steps) - 1,), f"The rollout ran out of time after {len(episode.steps)} steps{detail}.")
        )
    return sorted(found)


def _message(text: str) -> str | None:
    """`text`, if it is the message of a time-out and nothing else."""
    alone = len(text.strip()) <= LONGEST_MESSAGE and "\n" not in text.strip() and "?" not in text
    return cues.timed_out(text) if alone else None


RULE = Rule(
    name="timed_out",
    version=1,
    description="The rollout, a tool or an answer ran out of time.",
    needs="an outcome, tool answers, or the answer's text",
    kinds=frozenset({"rollout", "turn"}),
    look=look,
)
