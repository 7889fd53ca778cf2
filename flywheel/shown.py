"""Users' words on a terminal: what would steer it is shown as a mark, so that no comment can."""

import unicodedata

KEPT = "\n\t"


def visible(text: str) -> str:
    """`text` with U+FFFD for control characters, but line breaks and tabs, and for marks that turn its direction."""
    return "".join("\ufffd" if _steers(letter) else letter for letter in text)


def _steers(letter: str) -> bool:
    if letter in KEPT:
        return False
    return unicodedata.category(letter) == "Cc" or "\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069"
