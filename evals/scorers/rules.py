"""Instructions in prompts that a program can check. One that is not recognised is not scored: patterns are narrow.

In the manner of IFEval (Zhou and others 2023). English prompts only.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

import regex

from evals.scorers.counts import Limit, count_bullets, count_paragraphs, count_sentences
from evals.scorers.words import count_words


class Found(NamedTuple):
    """An instruction in a prompt, in its own words, and whether a completion obeys it."""

    words: str
    obeyed: Callable[[str], bool]


Rule = Callable[[str], Found | None]
"""From a prompt to what it asks for."""


def counted(unit: str, count: Callable[[str], int], *, alone: bool = False) -> Rule:
    """A number of something."""
    limit = Limit(unit, alone=alone)

    def find(prompt: str) -> Found | None:
        found = limit.find(prompt)
        if found is None:
            return None
        words, (low, high) = found

        def obeyed(completion: str) -> bool:
            return low <= count(completion) <= high

        return Found(words, obeyed)

    return find


def said(pattern: str, obeyed: Callable[[str, str], bool]) -> Rule:
    """A phrase; `obeyed` gets what was quoted (empty where nothing is), and the completion."""
    compiled = regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)

    def find(prompt: str) -> Found | None:
        match = compiled.search(prompt)
        if match is None:
            return None
        quoted = match.groupdict().get("quoted") or ""

        def holds(completion: str) -> bool:
            return obeyed(quoted, completion)

        return Found(" ".join(match.group().split()), holds)

    return find


def is_json(text: str) -> bool:
    """Whether the whole of the text is one JSON object or array, in a code fence or not."""
    fenced = regex.fullmatch(r"\s*```(?:json)?\s*\n(?P<inside>.*?)\n?\s*```\s*", text, regex.DOTALL | regex.IGNORECASE)
    try:
        value: object = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def mentions(words: str, text: str) -> bool:
    """Whether the words stand in the text, as whole words, in either case."""
    return regex.search(rf"(?<!\w){regex.escape(words)}(?!\w)", text, regex.IGNORECASE) is not None


def bare(text: str) -> str:
    """Folded, without marks around it: "The End!" ends with "the end"."""
    return regex.sub(r"^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$", "", " ".join(text.casefold().split()))


QUOTED = r"""(?: "(?P<quoted>[^"\n]{1,80})" | “(?P<quoted>[^”\n]{1,80})” | '(?P<quoted>[^'\n]{1,80})' )"""
NEVER = r"\b (?:do \s+ not | don['’]t | never | without | avoid) \s+"
NONE_OF = r"\b (?:no | (?:without|avoid|do \s+ not|don['’]t) (?: \s+ (?:us(?:e|ing)|any))*)"
THE_WORD = r"(?:the \s+)? (?:exact \s+)? (?:words? | phrase | term | sentence | line)? \s* :? \s*"
NAMES = r"(?: \s+ letters?)? \s+ (?:for|in) \s+ (?:the|variables?|keys?)"  # where case is about a part of the answer

RULES: tuple[Rule, ...] = (
    counted(r"words? \b", count_words),
    counted(r"sentences? \b", count_sentences),
    counted(r"(?:short \s+)? paragraphs? \b", count_paragraphs),
    counted(r"(?:\w+ \s+)? bullet (?:ed)? (?: [\s-]* points? | s) \b", count_bullets, alone=True),
    said(
        r"\b (?: (?:return|output|respond \s+ with|reply \s+ with|answer \s+ with) (?: \s+ (?:a|an|only|single|valid))*"
        r" | only | valid | in | as ) \s+ JSON \b (?! \s+ (?:file|parser|schema|library|api|string)) (?: \s+ only)?",
        lambda quoted, text: is_json(text),
    ),
    said(
        rf"\b (?:in|use|only|entirely) \s+ (?:(?:all|only) \s+)? lower [- ]? case \b (?! {NAMES})",
        lambda quoted, text: text == text.lower(),
    ),
    said(
        rf"\b (?:in|use|only|entirely) \s+ (?:(?:all|only) \s+)? (?:upper [- ]? case | caps | capital \s+ letters) \b"
        rf"(?! {NAMES})",
        lambda quoted, text: text == text.upper(),
    ),
    said(
        rf"{NEVER} (?:us|mention|say|includ|writ)(?:e|ing|)? \s+ {THE_WORD} {QUOTED}",
        lambda quoted, text: not mentions(quoted, text),
    ),
    said(
        rf"(?<! {NEVER}) \b (?:use|mention|include) \s+ the \s+ (?:word|phrase|term) \s+ {QUOTED}",
        mentions,
    ),
    said(
        rf"\b (?:end|finish|conclude) (?:s|ing)? \s+ (?:\w+ \s+){{0,4}}? with \s+ {THE_WORD} {QUOTED}",
        lambda quoted, text: bare(text).endswith(bare(quoted)),
    ),
    said(
        rf"\b (?:start|begin|open) (?:s|n?ing)? \s+ (?:\w+ \s+){{0,4}}? with \s+ {THE_WORD} {QUOTED}",
        lambda quoted, text: bare(text).startswith(bare(quoted)),
    ),
    said(
        rf"{NONE_OF} \s+ commas \b",
        lambda quoted, text: "," not in text,
    ),
    said(
        rf"{NONE_OF} \s+ emojis? \b",
        lambda quoted, text: regex.search(r"\p{Extended_Pictographic}", text) is None,
    ),
)
