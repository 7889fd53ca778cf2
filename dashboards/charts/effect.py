"""The effect of each variant on a metric over time, with the interval that may be looked at every day."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Column, Row, Table
from dashboards.words import figure


def effect_over_time(rows: list[Row], metric: str, unit: str, control: str) -> Chart | None:
    """A line a variant with its band, and zero. Rows: day, variant, difference, low, high, units, control_units; None
    without two days."""
    drawn = [row for row in rows if row["difference"] is not None]
    if len({row["day"] for row in drawn}) < 2:
        return None
    values = [
        {"day": str(row["day"]), **{name: row[name] for name in ("variant", "difference", "low", "high")}} for row in drawn
    ]
    last = [row for row in drawn if row["day"] == max(each["day"] for each in drawn)]
    said = "; ".join(
        f"{row['variant']} {figure(row['difference'])}"
        + ("" if row["low"] is None else f" ({figure(row['low'])} to {figure(row['high'])})")
        for row in last
    )
    x = {"field": "day", "type": "temporal", "title": None, "axis": {"format": "%d %b", "tickCount": 6, "grid": False}}
    y = {"type": "quantitative", "title": f"difference from {control}{f', {unit}' if unit else ''}"}
    color = {"field": "variant", "type": "nominal", "title": None}
    return Chart(
        "effect",
        f"Effect on {metric} over time.",
        f"Difference from {control} on the last day: {said}. Bands are 95% intervals that hold however often one looks.",
        {
            **WIDE,
            "height": 260,
            "data": {"values": values},
            "encoding": {"x": x, "color": color},
            "layer": [
                {
                    "mark": {"type": "area", "opacity": 0.22, "tooltip": None},
                    "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}},
                },
                {
                    "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 36}, "tooltip": True},
                    "encoding": {"y": {"field": "difference", **y}},
                },
                {
                    "data": {"values": [{"zero": 0}]},
                    "mark": {"type": "rule", "strokeWidth": 1.5, "color": "$ink", "strokeDash": [4, 3]},
                    "encoding": {"y": {"field": "zero", **y}, "x": {"value": 0}, "x2": {"value": "width"}, "color": {"value": "$ink"}},
                },
            ],
        },
        Table(
            "days",
            f"Effect on {metric} by day",
            (
                Column("day", "day", "day"),
                Column("variant", "variant"),
                Column("difference", "difference", "figure"),
                Column("interval", "95% interval", "interval"),
                Column("units", "units", "whole"),
                Column("control_units", f"units of {control}", "whole"),
            ),
            [{**row, "interval_low": row["low"], "interval_high": row["high"]} for row in rows],
        ),
    )
