"""What the model did is taken back at once: by the person, by the same prompt once more, or by the model itself.

By the person: their next words ask for what was there before ("undo that"). The same prompt word for word: the answer
was thrown away. By the model: its next call but one at most takes back an edit.
"""

import re

from ingest.reports.episode import Episode, Exchange, Finding, exchanges, quote
from ingest.reports.rule import Rule
from text import cues
from text.normal_form import normal_form

AT_ONCE = 2
"""Calls after an edit within which taking it back counts."""
SHORTEST_PROMPT = 20
"""Characters: "continue" twice is no regeneration."""

_EDITS = re.compile(r"^(str_replace|edit|insert|create|write|apply_patch|replace)", re.IGNORECASE)
_TAKES_BACK = re.compile(r"^(undo|revert)", re.IGNORECASE)
_COMMAND = re.compile(
    r"\"command\":\s*\"undo_edit\"|^\W*undo_edit\b|\bgit (revert\b|restore\b|checkout (HEAD )?-- |stash\s*$)",
    re.IGNORECASE,
)


def look(episode: Episode) -> list[Finding]:
    """One finding for each thing that was taken back: at what was done and at what took it back."""
    return sorted([*_by_the_user(episode), *_by_the_model(exchanges(episode))])


def _by_the_user(episode: Episode) -> list[Finding]:
    found: list[Finding] = []
    asked: str | None = None
    answer: int | None = None
    for place, step in enumerate(episode.steps):
        if step.role == "assistant":
            answer = place
        elif step.role == "user":
            text = step.text or ""
            if answer is not None and cues.undoes(text):
                found.append(Finding((answer, place), f"The user wanted it undone at once: {quote(text)}"))
            elif answer is not None and len(text) >= SHORTEST_PROMPT and normal_form(text) == normal_form(asked or ""):
                found.append(Finding((answer, place), f"The user sent the same prompt once more: {quote(text)}"))
            asked, answer = text, None
    return found


def _by_the_model(calls: list[Exchange]) -> list[Finding]:
    found: list[Finding] = []
    edits: list[int] = []
    for number, exchange in enumerate(calls):
        if _takes_back(exchange):
            if edits and number - edits[-1] <= AT_ONCE:
                edit = calls[edits.pop()]
                steps = tuple(sorted({edit.step, exchange.step}))
                said = quote(f"{exchange.call.tool} {exchange.call.arguments}")
                found.append(Finding(steps, f"The model took back its own edit at once: {said}"))
        elif _EDITS.search(exchange.call.tool) and exchange.error is None:
            edits.append(number)
    return found


def _takes_back(exchange: Exchange) -> bool:
    return bool(_TAKES_BACK.search(exchange.call.tool) or _COMMAND.search(exchange.call.arguments))


RULE = Rule(
    name="answer_undone",
    version=1,
    description="What the model said or edited was taken back at once, by the user or by itself.",
    needs="what the user wrote after an answer, or tool calls",
    kinds=frozenset({"rollout", "turn"}),
    look=look,
)
