"""The effect of each variant on a metric over time, with the interval that may be looked at every day."""

from dashboards import measure
from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Column, Row, Table

NUMBERS = ("difference", "low", "high", "decision_low", "decision_high")


def effect_over_time(rows: list[Row], metric: str, kind: Row, control: str) -> Chart | None:
    """A line a variant with its band, and zero; None without two days.

    Rows: day, variant, units, control_units and NUMBERS. `kind`: has the `unit_label` of the metric.
    """
    drawn = [row for row in rows if row["difference"] is not None]
    if len({row["day"] for row in drawn}) < 2:
        return None
    scale, unit = measure.of(kind)
    values = [
        {
            "day": str(row["day"]), "variant": row["variant"],
            **{name: row[name] if row[name] is None else scale * row[name] for name in NUMBERS},
        }
        for row in drawn
    ]  # fmt: skip
    last = [row for row in drawn if row["day"] == max(each["day"] for each in drawn)]
    said = "; ".join(
        f"{row['variant']} {measure.effect(row['difference'], _with_interval(kind, row))}"
        + ("" if row["low"] is None else f" ({measure.interval(row['low'], row['high'], kind)})")
        for row in last
    )
    x = {"field": "day", "type": "temporal", "title": None, "axis": {"format": "%d %b", "tickCount": 6, "grid": False}}
    y = {"type": "quantitative", "title": f"difference from {control}{f', {unit}' if unit else ''}"}
    color = {"field": "variant", "type": "nominal", "title": None}
    return Chart(
        "effect",
        f"Effect on {metric} over time.",
        f"Difference from {control} on the last day: {said}. Bands are 95% intervals that hold however often one "
        "looks; bars are the looks that the plan decides by.",
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
                    "transform": [{"filter": "isValid(datum.decision_low)"}],
                    "mark": {"type": "rule", "strokeWidth": 3, "tooltip": True},
                    "encoding": {"y": {"field": "decision_low", **y}, "y2": {"field": "decision_high"}},
                },
                {
                    "data": {"values": [{"zero": 0}]},
                    "mark": {"type": "rule", "strokeWidth": 1.5, "color": "$ink", "strokeDash": [4, 3]},
                    "encoding": {
                        "y": {"field": "zero", **y},
                        "x": {"value": 0},
                        "x2": {"value": "width"},
                        "color": {"value": "$ink"},
                    },
                },
            ],
        },
        Table(
            "days",
            f"Effect on {metric} by day",
            (
                Column("day", "day", "day"),
                Column("variant", "variant"),
                Column("difference", "difference", "effect"),
                Column("interval", "95% interval", "effect_interval"),
                Column("units", "units", "whole"),
                Column("control_units", f"units of {control}", "whole"),
            ),
            [_with_interval(kind, row) for row in rows],
        ),
    )


def _with_interval(kind: Row, row: Row) -> Row:
    return {**row, "unit_label": kind.get("unit_label"), "interval_low": row["low"], "interval_high": row["high"]}
