"""Checks on what the user was asked, by the tool `ask` or in a reply that ends as a question."""

from collections.abc import Sequence
from typing import Any

from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.seen import Seen


def asked(seen: Seen, about: Sequence[str], at_most: int | None = None) -> Verdict:
    """Some question names one of `about`, in any case; no more than `at_most` questions were asked at all."""
    questions = [words for _, words in seen.questions()]
    hits = [words for words in questions if _names(words, about)]
    if at_most is not None and len(questions) > at_most:
        return Verdict(False, f"{len(questions)} questions, {at_most} at most")
    return Verdict(bool(hits), f"asked {hits[0][:120]!r}" if hits else f"no question names {' or '.join(about)}")


def not_asked(seen: Seen, about: Sequence[str]) -> Verdict:
    """No question names any of `about`."""
    hits = [words for _, words in seen.questions() if _names(words, about)]
    return Verdict(not hits, f"asked {hits[0][:120]!r}" if hits else f"no question names {' or '.join(about)}")


def asked_before(seen: Seen, about: Sequence[str], tool: str, arguments: dict[str, Any] | None = None) -> Verdict:
    """A question that names one of `about` came before the first call of the tool with these arguments."""
    first = min((at for at, words in seen.questions() if _names(words, about)), default=None)
    if first is None:
        return Verdict(False, f"no question names {' or '.join(about)}")
    acted = [
        made.at
        for made in seen.calls
        if made.tool == tool and all(made.arguments.get(name) == value for name, value in (arguments or {}).items())
    ]
    if acted and acted[0] < first:
        return Verdict(False, f"{tool} at step {acted[0]}, asked at step {first} only")
    return Verdict(True, f"asked at step {first}, before {tool}")


def _names(words: str, about: Sequence[str]) -> bool:
    return any(each.lower() in words.lower() for each in about)
