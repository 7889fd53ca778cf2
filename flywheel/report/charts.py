"""Vega-Lite charts as SVG text. Each takes rows from a mart and returns markup, or "" where nothing is to be drawn."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import vl_convert

Rows = Sequence[dict[str, Any]]

INK, MUTED, NEGATIVE, ACCENT = "#1f2933", "#7b8794", "#c2410c", "#0f766e"

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "padding": 24,  # text is measured in another font than the browser's
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {"labelColor": MUTED, "titleColor": MUTED, "gridColor": "#e4e7eb", "domain": False, "ticks": False},
    "legend": {"labelColor": INK, "titleColor": MUTED, "orient": "top"},
}


def trend(days: Rows, window: tuple[date, date]) -> str:
    """Feedback a day of one mode within `window`, the negative part in its own colour.

    Rows: day, feedback_count, negative_count. All trends of a page share a window, so that they can be compared.
    """
    days = [row for row in days if window[0] <= row["day"] <= window[1]]
    if not days or window[0] == window[1]:
        return ""  # a single day is no trend
    rows = [
        {"day": str(row["day"]), "kind": kind, "count": count}
        for row in days
        for kind, count in (
            ("negative", row["negative_count"]),
            ("other", row["feedback_count"] - row["negative_count"]),
        )
    ]
    return _svg(
        {
            "width": 220,
            "height": 40,
            "data": {"values": rows},
            "mark": {"type": "bar"},
            "encoding": {
                "x": {
                    "field": "day",
                    "type": "temporal",
                    "scale": {"domain": [str(window[0]), str(window[1] + timedelta(days=1))]},
                    "axis": {"format": "%d %b", "tickCount": 3, "title": None},
                },
                "y": {"field": "count", "type": "quantitative", "stack": True, "axis": {"tickCount": 2, "title": None}},
                "color": {
                    "field": "kind",
                    "type": "nominal",
                    "scale": {"domain": ["negative", "other"], "range": [NEGATIVE, "#cbd2d9"]},
                    "legend": None,
                },
            },
        }
    )


def results(rows: Rows) -> str:
    """Each eval's checkpoints as points with their 95% interval. Rows: eval, checkpoint, value, low, high."""
    if not rows:
        return ""
    y = {"field": "eval", "type": "nominal", "title": None, "axis": {"labelLimit": 240}, "sort": None}
    offset = {"yOffset": {"field": "checkpoint"}}
    color = {
        "field": "checkpoint",
        "type": "nominal",
        "title": "checkpoint",
        "legend": {"columns": 1, "labelLimit": 300},
    }
    scale = {"domain": [0, 1]}
    return _svg(
        {
            "width": 460,
            "height": {"step": 14},
            "data": {"values": [dict(row) for row in rows]},
            "encoding": {"y": y, "color": color, **offset},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
                    "encoding": {
                        "x": {"field": "low", "type": "quantitative", "scale": scale, "title": "score (95% interval)"},
                        "x2": {"field": "high"},
                    },
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                    "encoding": {"x": {"field": "value", "type": "quantitative", "scale": scale}},
                },
            ],
        }
    )


def curves(rows: Rows) -> str:
    """Losses of training runs by step. Rows: run, step, metric, value."""
    if not rows:
        return ""
    return _svg(
        {
            "width": 460,
            "height": 160,
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": {"field": "step", "type": "quantitative", "title": "step"},
                "y": {"field": "value", "type": "quantitative", "title": "loss", "scale": {"zero": False}},
                "color": {"field": "metric", "type": "nominal", "title": None, "scale": {"range": [ACCENT, NEGATIVE]}},
                "strokeDash": {
                    "field": "run",
                    "type": "nominal",
                    "title": "run",
                    "legend": {"labelLimit": 300, "orient": "bottom"},
                },
            },
        }
    )


def _svg(spec: dict[str, Any]) -> str:
    return vl_convert.vegalite_to_svg({"config": CONFIG, **spec})
