"""Checks on words: of the last reply, or of everything that was said. Case doesn't count."""

import re
from collections.abc import Sequence

from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.seen import Seen


def said(seen: Seen, texts: Sequence[str], anywhere: bool = False) -> Verdict:
    """Each text stands in the last words, or (`anywhere`) in some reply. A number is not found in a longer one."""
    words = _words(seen, anywhere)
    missing = [each for each in texts if not holds(words, each)]
    where = "any reply" if anywhere else "the last words"
    return Verdict(not missing, f"{missing[0]!r} is not in {where}" if missing else f"{where} say all {len(texts)}")


def not_said(seen: Seen, texts: Sequence[str], anywhere: bool = False) -> Verdict:
    """None of the texts stands there."""
    words = _words(seen, anywhere)
    found = [each for each in texts if holds(words, each)]
    return Verdict(not found, f"{found[0]!r} is said" if found else f"none of {len(texts)} is said")


def at_most_words(seen: Seen, words: int) -> Verdict:
    """The last words are some, and not more than that."""
    count = len(seen.said.split())
    return Verdict(0 < count <= words, f"{count} words, {words} at most")


def said_at_most(seen: Seen, pattern: str, times: int, after: int = 0) -> Verdict:
    """A pattern is found no more than so often in all replies after the user's word of that number."""
    spoke = seen.user_spoke_at()
    start = spoke[after] if after < len(spoke) else len(seen.steps)
    replies = " \n ".join(step.text or "" for step in seen.steps[start:] if step.role == "assistant")
    count = len(re.findall(pattern, replies, re.IGNORECASE))
    return Verdict(count <= times, f"{count} times, {times} at most")


def _words(seen: Seen, anywhere: bool) -> str:
    if not anywhere:
        return seen.said
    return "\n".join(step.text or "" for step in seen.steps if step.role == "assistant")


def holds(words: str, each: str) -> bool:
    """Whether `each` stands in the words, and not within a longer word or number; 1,204 is 1204."""
    words = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", words)
    return re.search(rf"(?<![\w.,-]){re.escape(each)}(?![\w-]|[.,]\d)", words, re.IGNORECASE) is not None
