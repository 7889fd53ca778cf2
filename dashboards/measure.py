"""How a metric's values and effects are said: shares as percent and their differences in points, all else in its unit.

Digits go by the interval: two that it leaves uncertain, none that it knows nothing of.
"""

from math import floor, log10
from typing import Any

from dashboards import words
from dashboards.table import Row

SHARE = "share"
"""The unit of what is told as percent."""


def of(row: Row) -> tuple[float, str]:
    """What to multiply an effect by, and its unit. `row` has `unit_label`, which may be None."""
    return (100.0, "points") if row.get("unit_label") == SHARE else (1.0, row.get("unit_label") or "")


def estimate(value: Any, row: Row) -> str:
    """A value of the metric."""
    if value is None:
        return ""
    return words.percent(value) if row.get("unit_label") == SHARE else f"{words.figure(value)} {of(row)[1]}".strip()


def effect(value: Any, row: Row) -> str:
    """A difference between two values, with its sign."""
    if value is None:
        return ""
    scale, unit = of(row)
    digits = _digits(scale * float(value), scale, row)
    return f"{scale * float(value):+,.{digits}f} {unit}".strip()


def interval(low: Any, high: Any, row: Row) -> str:
    """Both ends of an effect's interval."""
    if low is None or high is None:
        return ""
    scale, _ = of(row)
    digits = _digits(0.0, scale, {"interval_low": low, "interval_high": high})
    return f"{scale * float(low):+,.{digits}f} to {scale * float(high):+,.{digits}f}"


def _digits(value: float, scale: float, row: Row) -> int:
    """After the point, so that the half-width of the interval shows two; of a bare value three."""
    low, high = row.get("interval_low"), row.get("interval_high")
    half = abs(scale * (high - low) / 2) if low is not None and high is not None else abs(value) / 10
    return 1 if half == 0 else max(0, min(6, 1 - floor(log10(half))))
