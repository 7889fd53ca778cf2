"""Counting in a completion, and reading from a prompt how many it may be."""

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import regex

from evals.scorers.words import NUMBER, whole


class Bounds(NamedTuple):
    """How many are asked for, ends included."""

    low: float
    high: float


BEFORE: dict[str, Callable[[int], Bounds]] = {
    r"no \s+ (?:less|fewer) \s+ than | at \s+ least | (?:a \s+)? minimum (?: \s+ of)?": lambda n: Bounds(n, inf),
    r"(?:no|not) \s+ more \s+ than | at \s+ most | up \s+ to | within | limit(?:ed)? (?:\s+\w+){0,3}? \s+ to"
    r" | (?:a \s+)? max(?:imum|\.)? (?: \s+ of)?": lambda n: Bounds(0, n),
    r"(?:less|fewer|shorter) \s+ than | under | below": lambda n: Bounds(0, n - 1),
    r"(?:more|longer) \s+ than | over": lambda n: Bounds(n + 1, inf),
    r"exactly | precisely": lambda n: Bounds(n, n),
}
"""What stands before the number -> what it means. The longer reading comes first: "no less than" is not "less than"."""

AFTER: dict[str, Callable[[int], Bounds]] = {
    r"or \s+ (?:less|fewer) | at \s+ most | max(?:imum)?": lambda n: Bounds(0, n),
    r"or \s+ more | at \s+ least | minimum": lambda n: Bounds(n, inf),
}


class Limit:
    """Finds in a prompt how many of a unit are asked for. A number alone counts only if `alone` says so."""

    def __init__(self, unit: str, *, alone: bool = False) -> None:
        """`unit` is a regular expression in which white space doesn't count."""
        before = "|".join(BEFORE)
        after = "|".join(AFTER)
        self.alone = alone
        self.pattern = regex.compile(
            rf"(?: \b (?P<before>{before}) \s+ )? \b (?P<number>{NUMBER}) \s+ {unit} (?: [ ] (?P<after>{after}) \b)?",
            regex.VERBOSE | regex.IGNORECASE,
        )

    def find(self, prompt: str) -> tuple[str, Bounds] | None:
        """The instruction's own words, and what they ask for; None where there is none."""
        for match in self.pattern.finditer(prompt):
            bounds = self._bounds(match)
            if bounds is not None:
                return " ".join(match.group().split()), bounds
        return None

    def _bounds(self, match: regex.Match[str]) -> Bounds | None:
        number = whole(match["number"])
        for said, meanings in ((match["before"], BEFORE), (match["after"], AFTER)):
            for pattern, meaning in meanings.items():
                if said is not None and regex.fullmatch(pattern, said, regex.VERBOSE | regex.IGNORECASE):
                    return meaning(number)
        return Bounds(number, number) if self.alone else None


def count_sentences(text: str) -> int:
    """Parts that end like a sentence, and a last one that doesn't."""
    return len([part for part in regex.split(r"(?<=[.!?…][\"'”’)]*)\s+", text.strip()) if part])


def count_paragraphs(text: str) -> int:
    """Blocks of lines with an empty line between them."""
    return len([block for block in regex.split(r"\n\s*\n", text.strip()) if block])


def count_bullets(text: str) -> int:
    """Lines that start as an entry of a list, marked or numbered."""
    return len(regex.findall(r"^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S", text, regex.MULTILINE))
