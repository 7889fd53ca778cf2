"""Ratings as people type them: decimal comma or point, `4/5`, a thumb."""

import re
from typing import NamedTuple

from ingest.importers.base import Refused
from ingest.importers.votes import read_thumb
from models.errors import TerminalError

Scale = tuple[float, float]
THUMB_SCALE: Scale = (0.0, 1.0)


class Rating(NamedTuple):
    """A number, and both ends of its scale where they are known."""

    value: float
    scale: Scale | None


def read_rating(text: str, scale: Scale | None = None) -> Rating:
    """The rating in a cell; a thumb sign is 1 or 0 on a scale of its own. Raises Refused for what is no rating."""
    plain = text.strip().replace("\u00a0", "").replace(" ", "")
    if out_of := re.fullmatch(r"([^/]+)/(\d+)", plain):
        # "4/5" says where the scale ends, not where it begins.
        value, end = read_number(out_of[1]), float(out_of[2])
        return _checked(text, value, scale if scale and scale[1] == end else None, end)
    if not re.search(r"\d", plain):
        thumb = read_thumb(plain)
        if thumb in ("up", "down"):
            return Rating(float(thumb == "up"), THUMB_SCALE)
        raise Refused(f"the rating {text!r} is no number")
    return _checked(text, read_number(plain), scale, None)


def read_number(text: str) -> float:
    """`2,5`, `2.5`, `1.234,5` and `1,234.5`. Raises Refused for `1,234`, which is two numbers, and for what is none."""
    plain = text.strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", plain):
        raise Refused(f"the number {text!r} could be a thousand or a decimal: write it without a comma")
    decimal = max(plain.rfind(","), plain.rfind("."))
    if decimal >= 0 and "," in plain:
        plain = re.sub(r"[.,]", "", plain[:decimal]) + "." + plain[decimal + 1 :]
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", plain):
        raise Refused(f"the rating {text!r} is no number")
    return float(plain)


def read_scale(text: str) -> Scale:
    """`1..5` as (1.0, 5.0). Raises TerminalError for what is no scale."""
    ends = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?:\.\.|-)(-?\d+(?:\.\d+)?)", text.strip())
    if not ends or float(ends[1]) >= float(ends[2]):
        raise TerminalError(f"{text!r} is no scale: say it as in 1..5")
    return float(ends[1]), float(ends[2])


def _checked(text: str, value: float, scale: Scale | None, end: float | None) -> Rating:
    if (scale and not scale[0] <= value <= scale[1]) or (end is not None and value > end):
        raise Refused(f"the rating {text!r} lies outside its scale")
    return Rating(value, scale)
