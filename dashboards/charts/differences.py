"""How much better one checkpoint is than another, eval by eval, with intervals: right of the line is better."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Row, Table
from dashboards.words import count


def differences(rows: list[Row], candidate: str, other: str, table: Table) -> Chart | None:
    """A point and a 95% interval an eval. Rows: eval, difference, low, high; None without any that has both ends."""
    drawn = [row for row in rows if row["difference"] is not None and row["low"] is not None]
    if not drawn:
        return None
    values = [{name: row[name] for name in ("eval", "difference", "low", "high")} for row in drawn]
    better = sum(row["low"] > 0 for row in drawn)
    worse = sum(row["high"] < 0 for row in drawn)
    x = {"type": "quantitative", "title": f"{candidate} less {other}", "axis": {"format": "+.2f", "tickCount": 6}}
    y = {"field": "eval", "type": "nominal", "title": None, "axis": {"labelLimit": 260, "grid": True}, "sort": None}
    return Chart(
        "differences",
        "Difference by eval.",
        f"{candidate} beside {other} on {count(len(drawn), 'eval')}: better on {better}, worse on {worse}, by 95% "
        "intervals of the paired difference.",
        {
            **WIDE,
            "height": 28 * len(drawn) + 24,
            "data": {"values": values},
            "encoding": {"y": y},
            "layer": [
                {
                    "data": {"values": [{"zero": 0}]},
                    "mark": {"type": "rule", "color": "$muted", "strokeDash": [4, 3]},
                    "encoding": {"x": {"field": "zero", **x}, "y": {"value": 0}, "y2": {"value": 28 * len(drawn) + 24}},
                },
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                    "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "tooltip": True},
                    "encoding": {"x": {"field": "difference", **x}},
                },
            ],
        },
        table,
    )
