"""A person's next words say that the answer was not what they asked for: "no, I meant", "that's not what I asked".

Only what comes right after an answer, and only where the person doesn't take the mistake on themselves.
"""

from ingest.reports.episode import Episode, Finding, quote
from ingest.reports.rule import Rule
from text import cues


def look(episode: Episode) -> list[Finding]:
    """One finding for each corrected answer: at the answer and at the correction."""
    found: list[Finding] = []
    answer: int | None = None
    for place, step in enumerate(episode.steps):
        if step.role == "assistant":
            answer = place if step.text else answer
        elif step.role == "user":
            if answer is not None and step.text and cues.corrects(step.text):
                found.append(Finding((answer, place), f"The user corrected the answer at once: {quote(step.text)}"))
            answer = None
    return found


RULE = Rule(
    name="user_correction",
    version=1,
    description="The user's next message says that the answer was wrong or not what they asked for.",
    needs="what the user wrote after an answer",
    kinds=frozenset({"rollout", "turn"}),
    look=look,
)
