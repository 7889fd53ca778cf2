"""How often a mode is seen a week, for each checkpoint: its share of what was said of that checkpoint's answers."""

from datetime import date, timedelta

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Column, Row, Table
from dashboards.words import count, day, percent

SHOWN = 6
"""Checkpoints that are drawn: as many as there are colours. The table has all."""

COLUMNS = (
    Column("week", "week from", "day"),
    Column("subject", "checkpoint", link="/checkpoint"),
    Column("rate", "share", "percent"),
    Column("low", "from", "percent"),
    Column("high", "to", "percent"),
    Column("feedback_count", "of this mode", "whole"),
    Column("week_feedback_count", "of all that was said", "whole"),
)


def trend_by_checkpoint(rows: list[Row], name: str, window: tuple[date | None, date | None], by: str) -> Chart | None:
    """A line a checkpoint, with the 95% interval of each week within `window`; None without any.

    Rows of `fct_failure_mode_weekly`; the table has those of other weeks, too.
    """
    first, last_day = window
    if first is None or last_day is None:
        return None
    listed = rows
    rows = [row for row in rows if first - timedelta(days=6) <= row["week"] <= last_day]
    if not rows:
        return None
    heard = {
        subject: sum(row["week_feedback_count"] for row in rows if row["subject"] == subject)
        for subject in {row["subject"] for row in rows}
    }
    drawn = sorted(sorted(heard), key=lambda subject: -heard[subject])[:SHOWN]
    values = [
        {
            "week": str(row["week"]),
            "subject": row["subject"],
            "rate": row["rate"],
            "low": row["rate_low"],
            "high": row["rate_high"],
        }
        for row in rows
        if row["subject"] in drawn and row["rate"] is not None
    ]
    last = max(row["week"] for row in rows)
    newest = [row for row in rows if row["week"] == last and row["subject"] in drawn]
    said = "; ".join(
        f"{row['subject']} {percent(row['rate'])} ({row['feedback_count']:,} of {row['week_feedback_count']:,})"
        for row in newest
    )
    weeks = len({row["week"] for row in rows})
    x = {
        "field": "week",
        "type": "temporal",
        "title": None,
        "axis": {"format": "%d %b", "tickCount": min(8, weeks), "grid": False},
    }
    y = {
        "type": "quantitative",
        "title": "share of comments",
        "axis": {"format": "%", "tickCount": 5},
        "scale": {"domain": [0, _top(values)]},
    }
    scale = {"domain": drawn}
    return Chart(
        "trend",
        f"{name}, by {by} and week.",
        f"In the week from {day(last)}: {said}. Lines over {count(weeks, 'week')}, with 95% intervals.",
        {
            **WIDE,
            "height": 240,
            "data": {"values": values},
            "encoding": {"x": x, "color": {"field": "subject", "type": "nominal", "title": None, "scale": scale}},
            "layer": [
                {
                    "mark": {"type": "rule", "clip": True, "opacity": 0.45, "strokeWidth": 2},
                    "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}},
                },
                {"mark": {"type": "line", "strokeWidth": 2.5}, "encoding": {"y": {"field": "rate", **y}}},
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True},
                    "encoding": {
                        "y": {"field": "rate", **y},
                        "shape": {"field": "subject", "type": "nominal", "title": None, "scale": scale},
                    },
                },
            ],
        },
        Table(
            "weeks",
            f"{name} by {by} and week",
            COLUMNS,
            [{**row, "low": row["rate_low"], "high": row["rate_high"]} for row in listed],
            mart="fct_failure_mode_weekly",
        ),
    )


def _top(values: list[Row]) -> float:
    """Where the axis ends: above every share, and not for the sake of the widest interval, which few comments make."""
    return min(1.0, max(0.05, 2 * max(row["rate"] for row in values)))
