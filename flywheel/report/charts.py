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


def _svg(spec: Spec, **sizes: int) -> str:
    return svg({**spec, **sizes, "padding": PADDING, "autosize": "pad"})
