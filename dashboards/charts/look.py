"""What every chart looks like. Colours are names of the palette: the page, or `picture.py`, puts them in."""

from typing import Any

from dashboards.palette import CATEGORIES

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
    "view": {"stroke": None},
    "axis": {
        "labelColor": "$muted", "titleColor": "$muted", "gridColor": "$line", "domain": False, "ticks": False,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 6,
    },
    "legend": {
        "labelColor": "$ink", "titleColor": "$muted", "orient": "top", "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "labelLimit": 260, "columns": 3, "symbolStrokeWidth": 2, "symbolOpacity": 1,
    },
    "header": {"labelColor": "$ink", "titleColor": "$muted", "labelFontSize": 12},
    "range": {"category": [f"${name}" for name in CATEGORIES]},
}  # fmt: skip

WIDE: dict[str, Any] = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, "config": CONFIG}
"""A chart that is as wide as its page."""
