"""Feedback of one mode a day, the negative part in its own colour."""

from datetime import date, timedelta

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Column, Row, Table

COLUMNS = (
    Column("day", "day", "day"),
    Column("feedback_count", "comments", "whole"),
    Column("negative_count", "negative", "whole"),
)


def days_of_mode(days: list[Row], window: tuple[date | None, date | None]) -> Chart | None:
    """Bars within `window`, or None where that is no trend. Rows: day, feedback_count, negative_count.

    All trends of a page share a window, so that they can be compared.
    """
    first, last = window
    if first is None or last is None or first == last:
        return None  # a single day is no trend
    days = [row for row in days if first <= row["day"] <= last]
    if not days:
        return None
    values = [
        {"day": str(row["day"]), "kind": kind, "count": number}
        for row in days
        for kind, number in (
            ("negative", row["negative_count"]),
            ("other", row["feedback_count"] - row["negative_count"]),
        )
    ]
    x = {
        "field": "day", "type": "temporal", "scale": {"domain": [str(first), str(last + timedelta(days=1))]},
        "axis": {"format": "%d %b", "tickCount": 3, "title": None, "grid": False},
    }  # fmt: skip
    return Chart(
        "days",
        "Comments a day.",
        said(days),
        {
            **WIDE,
            "height": 160,
            "data": {"values": values},
            "mark": {"type": "bar", "tooltip": True},
            "encoding": {
                "x": x,
                "y": {"field": "count", "type": "quantitative", "stack": True, "axis": {"tickCount": 3, "title": None}},
                "color": {
                    "field": "kind", "type": "nominal", "title": None,
                    "scale": {"domain": ["negative", "other"], "range": ["$c2", "$c6"]},
                },
            },
        },
        Table("by_day", "Comments a day", COLUMNS, days, mart="fct_failure_mode_daily"),
    )  # fmt: skip


def said(days: list[Row]) -> str:
    """A trend in words."""
    if not days:
        return "no comments"
    most = max(days, key=lambda row: (row["feedback_count"], row["day"]))
    return (
        f"{sum(row['feedback_count'] for row in days):,} comments on {len(days)} days from {days[0]['day']} to "
        f"{days[-1]['day']}, at most {most['feedback_count']:,} on {most['day']}"
    )
