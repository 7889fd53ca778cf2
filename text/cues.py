"""What a short text says of something that went wrong: a failed or unknown tool, a time-out, a correction, an undo.

English, by patterns written down here, so that a reader can see why a text was taken for one. They are meant to be
right rather than complete: each function returns the words that it went by, or None. No model, no score.
"""

import re
from typing import Final

LONGEST_LINE: Final = 400
"""A line of output longer than this is content, not a message."""

_FAILED: Final = re.compile(
    r"^\W{0,3}(error|fatal|exception|failed|failure)\b(?!\s*(rate|count|free|codes?\b))"
    r"|^\w*(Error|Exception)\b:"
    r"|^traceback \(most recent call last\)"
    r"|^your (proposed edit|edit|command|call) (has|was|could|did)\b.{0,60}\b(errors?|not|failed|rejected)\b"
    r"|\bno such file or directory\b"
    r"|\bpermission denied\b"
    r"|\bcommand not found\b"
    r"|\b(execution|command|request|connection|operation) timed out\b",
    re.IGNORECASE,
)
_TIMED_OUT: Final = re.compile(
    r"\b(execution|command|request|connection|operation|call|query|read|process|session|it|tool|test|build|job|run)"
    r"( has| was)? timed[ -]?out\b"
    r"|^\W{0,3}(timed[ -]?out|time-?out)\b"
    r"|\btimed out after \d"
    r"|\btimeout ?(error|exception|expired|exceeded)\b"
    r"|\bdeadline exceeded\b|\bETIMEDOUT\b",
    re.IGNORECASE,
)
_UNKNOWN_TOOL: Final = re.compile(
    r"\b(unknown|unrecogni[sz]ed|undefined|invalid|unsupported) (tool|function|action|command)\b"
    r"(?! (name )?(option|flag))"
    r"|\bno (such )?(tool|function|action) (named|called|with)\b|\bno such (tool|function|action|command)\b"
    r"|\bcommand not found\b"
    r"|\bis not recogni[sz]ed as an internal or external command\b",
    re.IGNORECASE,
)

_OWN_MISTAKE: Final = re.compile(
    r"\bmy (mistake|bad|fault|error|apologies)\b|\bi (made|might have made|must have made) a mistake\b"
    r"|\bi (apologi[sz]e|was wrong|misspoke|misremember|mixed)\b|\bsorry (about|for) (the|any|my) (confusion|mistake)\b"
    r"|\bi('ve| have) (just )?reali[sz]ed\b|\bi (should have|forgot to) (said|say|mention|mentioned)\b",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    r"\b(that|this|it)('s| is| was) not (what|the one|the thing|how) i\b"
    r"|\bnot what i (asked|meant|wanted|said|was)\b"
    r"|^(no|nope|sorry|hm+|well|ok(ay)?|actually)?\W{0,3}\b(i|what i) meant\b"
    r"|^no\b\W{1,3}(i (said|asked|wanted|want(ed)? you)|that'?s (wrong|not)|you)\b"
    r"|\bi (didn'?t|did not|never) (ask|asked) (you )?(for|to|about)\b|\bi (didn'?t|did not) mean\b"
    r"|^(\w+\W{1,2}){0,3}i (actually|just|only) (wanted|asked)\b|^what i mean is\b"
    r"|^(but )?(as|like) i said\b|^(but )?i (already|just) (said|told you)\b"
    r"|^(but )?you (didn'?t|did not) (\w+ )?(answer|explain|provide|give|include|mention|use|do|write|list)\b"
    r"|\byou('ve| have)? (misunderstood|misread|misinterpreted|got (it|that|this) wrong|ignored my"
    r"|forgot (the|my|to)|didn't answer|did not answer|missed (the|my))\b"
    r"|\b(a|some|any) (misunderstanding|mix-?up)\b"
    r"|^(\w+\W{1,2}){0,2}(that|this|it)('s| is| was) (wrong|incorrect|not (right|correct|true))\b"
    r"|^(but )?you('re| are) (wrong|mistaken|incorrect)\b"
    r"|\byour (answer|response|reply|code|example|solution|calculation|math) (is|was|seems|looks)"
    r" (\w+ )?(wrong|incorrect)\b"
    r"|\bi (was asking|asked|wanted|said)\b[^.?!]{2,80}[,;] not\b",
    re.IGNORECASE,
)
_UNDO: Final = re.compile(
    r"^(\w+\W{1,2}){0,4}(undo|revert|roll back|rollback)\b"
    r"(\W+(\w+\W+){0,3}(that|this|it|your|those|these|last|change|changes|edit|edits|commit|everything|all)\b|\W*$)"
    r"|\b(put|change|set|bring) (it|that|this|them|everything) back( the way| to| as|\b)"
    r"|\bgo back to (the|my) (previous|old|original|first|earlier) (version|one|code|text|draft|file|answer)\b"
    r"|\brestore (the|my) (previous|old|original) (version|code|text|draft|file)\b",
    re.IGNORECASE,
)
OPENING: Final = 300
"""A person who corrects says so at once: what comes later in a long message is about something else."""


def failed(text: str) -> str | None:
    """The line by which a tool's answer says that it failed."""
    return _line(_FAILED, text)


def timed_out(text: str) -> str | None:
    """The line that says that something took too long."""
    return _line(_TIMED_OUT, text)


def unknown_tool(text: str, tool: str) -> str | None:
    """The line that says that there is no such tool; a name that it says must be that of `tool`."""
    denied = r"(was |is |does )?not (a )?(found|exist|available|known|defined|valid)"
    named = rf"(^|[^\w.-])['\"`]?{re.escape(tool)}['\"`]? {denied}\b"
    return _line(_UNKNOWN_TOOL, text) or _line(re.compile(named, re.IGNORECASE), text)


def corrects(text: str) -> str | None:
    """The words by which a person says that the answer before was not what they asked for. Not: that they erred."""
    opening = text[:OPENING].replace("’", "'").strip()
    found = _CORRECTION.search(opening)
    return None if found is None or _OWN_MISTAKE.search(opening) else found.group().strip()


def undoes(text: str) -> str | None:
    """The words by which a person wants back what was there before the answer."""
    opening = text[:OPENING].replace("’", "'").strip()
    found = _UNDO.search(opening)
    return found.group().strip() if found else None


def _line(pattern: re.Pattern[str], text: str) -> str | None:
    """The first or last line of `text` that has words, if it matches: a message stands there, content between."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in dict.fromkeys([*lines[:1], *lines[-1:]]):
        if len(line) <= LONGEST_LINE and pattern.search(line):
            return line
    return None
