"""What a value means: a thumb, a number, a boolean, a label, or nothing. 0, false, empty and null stay four states."""

import re
from typing import Any, Literal, NamedTuple

from models.ids import canonical_json
from models.metrics import ALIASES

Thumb = Literal["up", "down", "cleared"]
DataType = Literal["numeric", "boolean", "categorical", "correction"]
Status = Literal["scored", "skipped", "errored"]

THUMB_NAMES = frozenset({"thumb", *ALIASES["thumb"]})
"""What tools call a person's thumb, letters only: `user-feedback` and `user_feedback` are the same name."""

UP = (
    "up",
    "thumbs_up",
    "thumb_up",
    "thumbsup",
    "like",
    "liked",
    "positive",
    "good",
    "true",
    "yes",
    "1",
    "1.0",
    "+1",
    "👍",
)
DOWN = (
    "down",
    "thumbs_down",
    "thumb_down",
    "thumbsdown",
    "dislike",
    "disliked",
    "negative",
    "bad",
    "false",
    "no",
    "👎",
)
DOWN_NUMBERS = ("0", "0.0", "-1", "-1.0")
CLEARED = ("cleared", "none", "null", "removed", "withdrawn")
THUMBS: dict[str, Thumb] = {
    **dict.fromkeys(UP, "up"),
    **dict.fromkeys(DOWN + DOWN_NUMBERS, "down"),
    **dict.fromkeys(CLEARED, "cleared"),
}
SKIN_TONES = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")


class Score(NamedTuple):
    """The value of a `ScoreGiven`, typed."""

    data_type: DataType
    value: float | None = None
    label: str | None = None
    status: Status = "scored"


def is_thumb_name(name: str) -> bool:
    """True for a metric that is a person's thumb by its name."""
    return re.sub(r"[^a-z]", "", name.lower()) in THUMB_NAMES


def read_thumb(value: Any) -> Thumb | None:
    """The thumb that `value` is; None where it is none (a number between, a word we don't know, an empty text)."""
    if value is None:
        return "cleared"
    if isinstance(value, bool):
        return "up" if value else "down"
    plain = SKIN_TONES.sub("", str(value)).strip().lower()
    return THUMBS.get(plain) or THUMBS.get(re.sub(r"[ -]+", "_", plain))


def read_score(value: Any) -> Score:
    """`value` by its own type. Null is a score that was skipped; an empty text is a label that is empty."""
    if value is None:
        return Score("numeric", status="skipped")
    if isinstance(value, bool):
        return Score("boolean", float(value))
    if isinstance(value, int | float):
        return Score("numeric", as_float(value))
    return Score("categorical", label=value if isinstance(value, str) else canonical_json(value))


def as_float(value: Any) -> float | None:
    """A number, or a text that is one, as float; None for everything else."""
    if isinstance(value, bool):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
