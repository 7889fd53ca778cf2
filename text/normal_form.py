"""What a text is compared by, and what may be shown of it: normal form, hash, preview.

Repair (`models/unicode.py`) comes first everywhere. Nothing is translated, stemmed or stripped of marks: two spellings
that a reader would call different stay different.
"""

import hashlib
import itertools
import unicodedata
from typing import Final

import regex

from models.unicode import REPLACEMENT, repair

ELLIPSIS: Final = "\u2026"

_GRAPHEME: Final = regex.compile(r"\X")


def normal_form(text: str) -> str:
    """The form by which two texts count as the same: repaired, NFC, caseless, white space folded, trimmed.

    NUL counts as broken too, because databases refuse it. Applying it twice changes nothing.
    Source: Unicode Standard, section 3.13, default caseless matching, with NFC in place of NFD.
    """
    repaired, _ = repair(text)
    composed = unicodedata.normalize("NFC", repaired.replace("\0", REPLACEMENT))
    # Folding can take a composed letter apart, so that it is composed once more.
    caseless = unicodedata.normalize("NFC", composed.casefold())
    return " ".join(caseless.split())


def text_hash(text: str) -> str:
    """128 bits of the SHA-256 of the normal form, as 32 hexadecimal digits: equal for texts that count as the same."""
    return hashlib.sha256(normal_form(text).encode()).hexdigest()[:32]


def preview(text: str, graphemes: int) -> str:
    """The beginning of a text, at most `graphemes` user-perceived characters long; where it was cut, the last is "…".

    Cuts between grapheme clusters (Unicode Annex 29), so that no emoji or accent is halved. Raises ValueError below 1.
    """
    if graphemes < 1:
        raise ValueError(f"A preview of {graphemes} characters shows nothing; ask for 1 or more.")
    repaired, _ = repair(text)
    clusters = [match.group() for match in itertools.islice(_GRAPHEME.finditer(repaired), graphemes + 1)]
    if len(clusters) <= graphemes:
        return repaired
    return "".join(clusters[: graphemes - 1]) + ELLIPSIS
