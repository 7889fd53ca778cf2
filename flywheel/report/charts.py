"""The charts of the dashboards as SVG text, for pages that stand alone. Markup, or "" where nothing is to be drawn."""

from datetime import date
from typing import Any

from dashboards.chart import Spec
from dashboards.charts.days import days_of_mode
from dashboards.charts.losses import losses
from dashboards.charts.scores import scores
from dashboards.picture import svg
from dashboards.table import Row, Table

NO_TABLE = Table("", "", (), [])
BARS = 20
PADDING = 24
"""Pixels: text is measured in another font than the browser's."""


def trend(days: list[Row], window: tuple[date | None, date | None]) -> str:
    """Feedback a day of one mode within `window`, small. Rows: day, feedback_count, negative_count."""
    chart = days_of_mode(days, window)
    if chart is None:
        return ""
    encoding: dict[str, Any] = chart.spec["encoding"]
    small = {**encoding, "color": {**encoding["color"], "legend": None}}
    return _svg({**chart.spec, "encoding": small}, width=220, height=40)


def results(rows: list[Row]) -> str:
    """Each eval's checkpoints as points with their 95% interval. Rows: eval, checkpoint, value, low, high."""
    chart = scores(rows, NO_TABLE)
    return "" if chart is None else _svg(chart.spec, width=460)


def curves(rows: list[Row]) -> str:
    """Losses of training runs by step. Rows: run, step, metric, value."""
    chart = losses(rows)
    return "" if chart is None else _svg(chart.spec, width=460)


def histogram(values: list[float | None], title: str, ends: tuple[float, float] | None = None) -> str:
    """How many of `values` lie where; None is left out. `ends` are those of the axis, else the values' own."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = ends or (0.0, max(known))
    width = (high - low) / BARS or 1.0
    bars = [0] * BARS
    for value in known:
        bars[min(BARS - 1, max(0, int((value - low) / width)))] += 1
    rows = [{"from": low + place * width, "to": low + (place + 1) * width, "n": n} for place, n in enumerate(bars)]
    axis = {"type": "quantitative", "title": title, "scale": {"domain": [low, low + BARS * width]}}
    return _svg(
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "tooltip": False},
            "encoding": {
                "x": {"field": "from", **axis, "bin": {"binned": True}},
                "x2": {"field": "to"},
                "y": {"field": "n", "type": "quantitative", "title": "attempts"},
            },
        },
        width=300,
        height=140,
    )


def _svg(spec: Spec, **sizes: int) -> str:
    return svg({**spec, **sizes, "padding": PADDING, "autosize": "pad"})
