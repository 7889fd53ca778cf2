"""Strict and lenient score of the best checkpoint on each eval, and the bound at which an eval is spent."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Row, Table
from dashboards.words import are, count
from stats.half_life import SPENT

SHOWN = 16


def readings(rows: list[Row], table: Table) -> Chart | None:
    """A line from the lower to the upper end, a point for either reading. Rows: eval, strict, low, high, lenient."""
    drawn = [row for row in rows if row["strict"] is not None][:SHOWN]
    if not drawn:
        return None
    values = [
        {"eval": row["eval"], "reading": reading, "value": row[reading], "low": row["low"], "high": row["high"]}
        for row in drawn
        for reading in ("strict", "lenient")
        if row[reading] is not None
    ]
    spent = sum(bool(row["is_spent"]) for row in drawn)
    x = {"type": "quantitative", "title": "best score", "scale": {"domain": [0, 1]}, "axis": {"tickCount": 6}}
    by = {"field": "reading", "type": "nominal", "title": None, "scale": {"domain": ["strict", "lenient"]}}
    y = {"field": "eval", "type": "nominal", "title": None, "axis": {"labelLimit": 260, "grid": True}, "sort": None}
    height = 24 * len(drawn) + 24
    return Chart(
        "readings",
        "How far evals are used up.",
        f"The best score on {count(len(drawn), 'eval')}, with its 95% interval; {spent} {are(spent)} spent: the lower "
        "end is beyond the dashed line at .9.",
        {
            **WIDE,
            "height": height,
            "data": {"values": values},
            "encoding": {"y": y},
            "layer": [
                {
                    "data": {"values": [{"bound": SPENT}]},
                    "mark": {"type": "rule", "color": "$muted", "strokeDash": [4, 3]},
                    "encoding": {"x": {"field": "bound", **x}, "y": {"value": 0}, "y2": {"value": height}},
                },
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
                    "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True},
                    "encoding": {"x": {"field": "value", **x}, "color": by, "shape": by},
                },
            ],
        },
        table,
    )
