"""`concise`: is the completion within a number of words, unless the prompt asks for something long?"""

import regex

from evals.scorers.base import Score
from evals.scorers.words import NUMBER, count_words
from models.specs import Args

WORDS = 250
"""The limit where the spec's args name none (`words`)."""

ASKS_FOR_LENGTH = regex.compile(
    rf"""
    \b(?: in \s+ (?:great \s+)? (?:detail|depth) | detailed | thorough(?:ly)? | comprehensive(?:ly)? | in-depth
        | long(?:er)? \s+ (?:\w+ \s+)? (?:essay|article|story|text|answer|report|post|chapter|version|description)
        | step[- ]by[- ]step | exhaustive(?:ly)? | elaborate | at \s+ length | as \s+ long \s+ as
        | essay | article | chapter | novel | screenplay | script | full \s+ (?:code|program|story|text|report)
        | {NUMBER}[ +-]* (?:pages?|paragraphs?|words?|chapters?|items?|examples?|questions?|ideas?)
    )\b""",
    regex.VERBOSE | regex.IGNORECASE,
)


def concise(prompt: str, completion: str, args: Args) -> Score | None:
    """1 if the completion has at most `args["words"]` words. Nothing where the prompt asks for detail or a length."""
    if ASKS_FOR_LENGTH.search(prompt):
        return None
    limit = int(args.get("words") or WORDS)
    words = count_words(completion)
    return Score(float(words <= limit), f"{words} words", f"at most {limit}")
